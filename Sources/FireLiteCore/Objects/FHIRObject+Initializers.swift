import Foundation

/// The initializers that every generated class has, written once.
public protocol FHIRObjectInitializers: AnyObject {
    /// An object with no element set.
    init()
}

extension FHIRObjectInitializers where Self: FHIRObject {
    /// Creates an object and sets its elements: `HumanName { $0.family = "Chalmers" }`.
    public init(_ configure: (Self) throws -> Void) rethrows {
        self.init()
        try configure(self)
    }

    /// Reads an object of this class from JSON.
    ///
    /// - Throws: `FHIRDecodingError` if the bytes are not JSON of this class.
    public init(json: Data) throws {
        self.init()
        try FHIRJSON.read(json, into: self)
    }

    /// Reads an object of this class from JSON text.
    ///
    /// - Throws: `FHIRDecodingError` if the text is not JSON of this class.
    public init(json: String) throws {
        try self.init(json: Data(json.utf8))
    }
}
