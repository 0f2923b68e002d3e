export { pascalDialect as dialect } from "./copilot.ts";
