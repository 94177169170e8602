// Types for the parts of uglify-js that the build uses. The package has none.

declare module "uglify-js" {
  const uglify: {
    minify(code: string, options: object): { code: string; map: string; error?: Error };
  };
  export default uglify;
}
