// The store: typed FHIR objects in one SQLite file. Objects and JSON come from FireLiteCore, which is part of the public interface.

@_exported import FireLiteCore
