// A FHIR client and what sends a store's records to servers. The store and its objects are part of the public interface.

@_exported import FireLite
