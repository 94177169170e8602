// The parts of uglify-js that the build uses; it has no types of its own.

declare module "uglify-js" {
  const uglify: {
    minify(code: string, options: object): { code: string; map: string; error?: Error };
  };
  export default uglify;
}
