// Records with annotations and a status, an app's own data, and attachments kept apart. The store and its objects are part of the public
// interface.

@_exported import FireLite
