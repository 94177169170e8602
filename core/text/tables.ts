// The grammar of JSON, from ../tables. Made by `npm run generate`: do not edit.

export var GRAMMAR =
  ',J}: F,M]: F:M F}:"B F]:"B{I[Lthfnnt-T0d1c F+Y-Y1[ F1[ -1_ F1_eWEW -1c.]eWEW -rj' +
  ' Ful Fe. Fap Flr Fsl Fuv Flx Fl. F"A\\A/AbIfMnKrNtJuE F';
