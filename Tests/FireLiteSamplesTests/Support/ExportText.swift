import Foundation

/// Texts like Apple's export.
enum ExportText {
    static let device =
        "&lt;&lt;HKDevice: 0x2825f1a40&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:8.1&gt;"

    static func time(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "2026-01-\(two(1 + minute / 1_440 % 28)) \(two(minute / 60 % 24)):\(two(minute % 60)):00 +0100"
    }

    static func record(
        _ type: String, _ value: String, _ unit: String, minute: Int, device: String? = nil, content: String? = nil
    ) -> String {
        let attributes =
            "<Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"Watch &amp; Phone\" sourceVersion=\"9.1\""
            + (device.map { " device=\"\($0)\"" } ?? "")
            + " unit=\"\(unit)\" creationDate=\"\(time(minute))\" startDate=\"\(time(minute))\" endDate=\"\(time(minute))\" value=\"\(value)\""
        return attributes + (content.map { ">\($0)</Record>" } ?? "/>")
    }

    /// A file with these elements, and a document type as broken as Apple's.
    static func of(_ elements: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 14 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED
          device CDATA #IMPLIED "
        >
        <!ELEMENT Correlation ((MetadataEntry|Record)*)
        ]>
        <HealthData locale="en_US">
         <ExportDate value="2026-02-01 10:00:00 +0100"/>
         <Me HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"/>
        \(elements.map { " " + $0 + "\n" }.joined())</HealthData>
        """
    }
}
