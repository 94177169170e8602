// What the tests and the programs they start find in their environment: nothing of what a person, or the
// machine of a gate, has said about colours. Tests of colours set these themselves.

delete process.env.NO_COLOR;
delete process.env.FORCE_COLOR;
