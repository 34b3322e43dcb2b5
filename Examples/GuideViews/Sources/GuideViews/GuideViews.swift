// The module of the generated views, which is without one before the plugin has run.
@_exported import FireLiteProfiles
