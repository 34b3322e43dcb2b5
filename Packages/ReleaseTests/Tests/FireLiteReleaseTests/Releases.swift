import FireLiteDSTU2
import FireLiteR4
import FireLiteR4B
import FireLiteR5
import FireLiteSTU3
import Foundation
import ReleaseTestSupport

@testable import FireLite
@testable import FireLiteCore

/// The releases that the tests of this target run for, and what is known of each from its specification.
enum Releases {
    static let all: [FHIRRelease] = [.dstu2, .stu3, .r4, .r4b, .r5]

    /// What the specification says about a release.
    struct Facts: Sendable {
        let release: FHIRRelease
        let version: String
        /// The number of resource types that have instances.
        let resources: Int
        /// The abstract types that have a class.
        let abstract: [String]
        /// The number of official examples in the archive.
        let examples: Int
    }

    static let facts: [Facts] = [
        Facts(release: .dstu2, version: "1.0.2", resources: 94, abstract: ["DomainResource", "Element", "Resource"], examples: 240),
        Facts(
            release: .stu3, version: "3.0.2", resources: 117, abstract: ["BackboneElement", "DomainResource", "Element", "Resource"],
            examples: 414),
        Facts(
            release: .r4, version: "4.0.1", resources: 146, abstract: ["BackboneElement", "DomainResource", "Element", "Resource"],
            examples: 422),
        Facts(
            release: .r4b, version: "4.3.0", resources: 141,
            abstract: ["BackboneElement", "DataType", "DomainResource", "Element", "Resource"], examples: 446),
        Facts(
            release: .r5, version: "5.0.0", resources: 158,
            abstract: [
                "BackboneElement", "BackboneType", "CanonicalResource", "DataType", "DomainResource", "Element", "MetadataResource",
                "PrimitiveType", "Resource",
            ], examples: 527),
    ]

    /// Every class of every release; nightly all of them, else a sample of the given size for each release.
    static func types(_ sample: Int) -> [TypeName] {
        all.flatMap { release in
            Effort.sample(release.types.map { $0._layout.name }, sample).map { TypeName(release: release, name: $0) }
        }
    }

    /// Every resource class of every release; nightly all of them, else a sample of the given size for each release.
    static func resourceTypes(_ sample: Int) -> [TypeName] {
        all.flatMap { release in
            Effort.sample(release.resourceTypes.map { $0._layout.name }, sample).map { TypeName(release: release, name: $0) }
        }
    }
}

/// A class of a release by its name, as an argument of a test.
struct TypeName: Sendable, CustomStringConvertible {
    let release: FHIRRelease
    let name: String

    var description: String { "\(release) \(name)" }
}
