declare module "uglify-js" {
  const uglify: {
    minify(code: string, options: object): { code: string; map: string; error?: Error };
  };
  export default uglify;
}
