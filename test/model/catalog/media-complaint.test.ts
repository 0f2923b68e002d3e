import { describe, expect, test } from "bun:test";
import { complainsAboutMedia } from "../../../src/model/catalog/media-complaint.ts";
import { expectLinear } from "../../helpers/growth.ts";

/** Errors of providers and local servers that refuse a file. */
const COMPLAINTS = [
  "Could not process image",
  "messages.2.content.0.tool_result.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size",
  "messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  "messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
  "messages.0.content.0.document.source.base64.data: The PDF specified was not valid.",
  "The PDF specified is password protected.",
  "Unable to download the file. Please verify the URL and try again. image.source.url.url",
  "You uploaded an unsupported image. Please make sure your image is valid.",
  "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  "The image data you provided does not represent a valid image. Please check your input and try again.",
  "invalid_base64 Invalid base64 image_url.",
  "Invalid MIME type. Only image types are supported.",
  "Invalid content type. image_url is only supported by certain models.",
  "Image input is not supported for this model",
  "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  "Provided image is not valid.",
  "Unsupported MIME type: image/gif",
  "The document has no pages.",
  "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 210",
  "Image input is not enabled for this model",
  "invalid_request_error messages[0].content must be a string",
  "No endpoints found that support image input",
  "Unsupported content-type encountered when downloading image. Supported content-types: image/jpeg, image/png",
  "some-model is not a multimodal model",
  "cannot identify image file <_io.BytesIO object at 0x7f>",
  "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  "Failed to load image or audio file",
  "Model does not support images. Please use a model that does.",
  "this model is missing data required for image input",
  "This model does not support image inputs",
];

/** Errors of the same servers for other reasons. */
const OTHERS = [
  "Invalid value: 'foo'. Supported values are: 'low', 'medium' and 'high'.",
  "tools.0.custom.input_schema: JSON schema is invalid",
  "Invalid schema for function 'generate_image': 'default' is not permitted",
  'messages: roles must alternate between "user" and "assistant"',
  "The model `gpt-9` does not exist or you do not have access to it.",
  "failed to load model file",
  "Your credit balance is too low to access the Anthropic API.",
  "Unsupported parameter: 'max_tokens' is not supported with this model.",
  "prompt is too long: 208310 tokens > 200000 maximum",
  "Please ensure that function call turn comes immediately after a user turn",
];

describe("complainsAboutMedia", () => {
  test.each(COMPLAINTS)("yes: %s", (text) => expect(complainsAboutMedia(text)).toBe(true));
  test.each(OTHERS)("no: %s", (text) => expect(complainsAboutMedia(text)).toBe(false));

  test.each([
    ["image ", ""],
    ["could not process ", "a "],
    ["image", " "],
  ])("reads %j and a long row of %j in linear time", async (start, piece) => {
    await expectLinear(2_000_000, (size) => {
      const text = start + (piece || start).repeat(size);
      return () => complainsAboutMedia(text);
    });
  });
});
