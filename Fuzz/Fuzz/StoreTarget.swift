import FireLite
import FireLiteR4
import Foundation

/// What the strict reader accepts comes back from a store as it went in, or is refused as too large.
enum StoreTarget {
    /// Small resources for queries.
    static let examples = [
        #"{"resourceType":"Patient","id":"1","active":true,"name":[{"family":"Smith","given":["Ann","B"]}],"birthDate":"1970-01-01"}"#,
        #"{"resourceType":"Patient","id":"2","name":[{"family":"Ö'x","_given":[{"id":"a"}]}],"multipleBirthInteger":2}"#,
        #"{"resourceType":"Observation","id":"1","status":"final","code":{"coding":[{"system":"http://a","code":"1"}]},"valueQuantity":{"value":1.50}}"#,
        #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"b"},"effectiveDateTime":"2020-02","valueString":"%_"}"#,
        #"{"resourceType":"Questionnaire","id":"1","status":"draft","item":[{"linkId":"1","item":[{"linkId":"2","type":"group"}]}]}"#,
        #"{"resourceType":"MedicationRequest","status":"active","intent":"order","contained":[{"resourceType":"Medication","id":"m"}]}"#,
        #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Basic","id":"b"}}]}"#,
    ]

    private static let store: FHIRStore = {
        do { return try FHIRStore.inMemory(release: .r4) } catch { fatalError("\(error)") }
    }()

    private nonisolated(unsafe) static let strict = FHIRJSONReader(release: .r4)

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let resource: FHIRResource
        do { resource = try strict.resource(from: bytes) } catch is FHIRDecodingError { return }
        let json = FHIRJSON.data(resource)
        do {
            _ = try store.write { tx in try tx.store([resource]) }
        } catch let error as FHIRStoreError where error.code == .tooLarge {
            return
        }
        var found: [Data] = []
        try store.read { tx in try tx.forEach(typeName: resource.resourceType) { found.append(FHIRJSON.data($0)) } }
        require(found == [json], "the store gives other JSON")
        try store.write { tx in try tx.forEach(typeName: resource.resourceType) { try tx.delete($0) } }
    }
}
