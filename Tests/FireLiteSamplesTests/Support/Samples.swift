import FireLiteR4
import FireLiteSamples
import Foundation

/// 2026-01-01T00:00:00Z.
let testStart = Date(timeIntervalSince1970: 1_767_225_600)

let testWatch = SampleOrigin([.sourceName: "Watch", .bundleIdentifier: "com.example.watch", .manufacturer: "Maker", .model: "Watch7,1"])
let testPhone = SampleOrigin([.sourceName: "Phone", .bundleIdentifier: "com.example.phone"])

/// A UUID that ends with a number.
func testUUID(_ number: Int) -> UUID {
    let text = String(number, radix: 16)
    return UUID(uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - text.count) + text) ?? UUID()
}

func heartRate(_ number: Int, _ value: FHIRDecimal = 60, at seconds: TimeInterval? = nil, origin: SampleOrigin = testWatch) -> Sample {
    Sample(
        uuid: testUUID(number), type: .heartRate, start: testStart.addingTimeInterval(seconds ?? Double(number) * 60),
        zone: TimeZone(secondsFromGMT: 3_600), value: .quantity(value, unit: "count/min"), origin: origin)
}

func steps(_ number: Int, _ value: FHIRDecimal, from start: Date, for seconds: TimeInterval, origin: SampleOrigin) -> Sample {
    Sample(
        uuid: testUUID(number), type: .stepCount, start: start, end: start.addingTimeInterval(seconds),
        value: .quantity(value, unit: "count"), origin: origin)
}

func bloodPressure(_ number: Int, _ systolic: FHIRDecimal, _ diastolic: FHIRDecimal) -> Sample {
    let time = testStart.addingTimeInterval(Double(number) * 60)
    let parts = [
        Sample(uuid: testUUID(number + 1), type: .bloodPressureSystolic, start: time, value: .quantity(systolic, unit: "mmHg")),
        Sample(uuid: testUUID(number + 2), type: .bloodPressureDiastolic, start: time, value: .quantity(diastolic, unit: "mmHg")),
    ]
    return Sample(uuid: testUUID(number), type: .bloodPressure, start: time, value: .correlation(parts), origin: testWatch)
}

func memoryStore() throws -> FHIRStore { try FHIRStore.inMemory(release: .r4) }
