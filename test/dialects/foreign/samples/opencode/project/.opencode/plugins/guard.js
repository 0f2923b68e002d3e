export const Guard = async () => ({});
