import FireLite
import FireLiteR4
import Foundation

#if canImport(ModelsR4)
    import ModelsR4
#endif

/// A way from JSON to objects and back.
struct JSONCoder {
    let title: String
    let decode: (Data) throws -> Any
    let encode: (Any) throws -> Data

    /// FireLite's own reader and writer, Foundation's coders with the same classes, and FHIRModels if the package was built with it.
    static var all: [JSONCoder] {
        var all = [fireLite, foundation]
        #if canImport(ModelsR4)
            all.append(models)
        #endif
        return all
    }

    private static var fireLite: JSONCoder {
        let reader = FHIRJSONReader(release: .r4)
        return JSONCoder(
            title: FireLitePeer.title, decode: { try reader.resource(from: $0) }, encode: { FHIRJSON.data(try resource($0)) })
    }

    private static var foundation: JSONCoder {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        decoder.userInfo[.fhirRelease] = FHIRRelease.r4
        return JSONCoder(
            title: JSONPeer.title, decode: { try decoder.decode(FHIRResource.self, from: $0) },
            encode: { try encoder.encode(try resource($0)) })
    }

    #if canImport(ModelsR4)
        private static var models: JSONCoder {
            let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
            return JSONCoder(
                title: "FHIRModels", decode: { try decoder.decode(ModelsR4.ResourceProxy.self, from: $0) },
                encode: { object in
                    guard let proxy = object as? ModelsR4.ResourceProxy else { throw BenchmarkFailure("the object is not of FHIRModels") }
                    return try encoder.encode(proxy)
                })
        }
    #endif

    private static func resource(_ object: Any) throws -> FHIRResource {
        guard let resource = object as? FHIRResource else { throw BenchmarkFailure("the object is not of FireLite") }
        return resource
    }
}
