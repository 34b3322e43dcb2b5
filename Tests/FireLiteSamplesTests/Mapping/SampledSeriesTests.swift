import FireLiteR4
import FireLiteReleases
import FireLiteSamples
import Foundation
import TestSupport
import Testing

@Suite struct SampledSeriesTests {
    @Test func aSeriesIsOneObservation() throws {
        let samples = [0, 5, 15].enumerated().map { heartRate($0 + 1, FHIRDecimal(60 + $0), at: Double($1)) }
        let grouping = SampledSeries.grouping(samples)
        #expect(grouping.rest.isEmpty)
        let series = try #require(grouping.series.first)
        let observation = try #require(try series.observation(release: .r4))
        #expect(
            FHIRJSON.string(observation).hasSuffix(
                """
                "effectivePeriod":{"start":"2026-01-01T01:00:00+01:00","end":"2026-01-01T01:00:15+01:00"},"valueSampledData":{"origin":\
                {"value":0,"unit":"beats/minute","system":"http://unitsofmeasure.org","code":"/min"},"period":5000,"dimensions":1,\
                "data":"60 61 E 62"}}
                """), "\(FHIRJSON.string(observation))")
    }

    @Test(arguments: Effort.seeds(byDay: 5, atNight: 40)) func seriesComeBackAsTheyWere(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var samples: [Sample] = []
        for number in 1...300 {
            var sample = heartRate(number, FHIRDecimal(random.int(40...180)), at: Double(random.int(0...20_000)))
            switch random.int(0...9) {
            case 0: sample.metadata = ["a": "b"]
            case 1: sample.origin = testPhone
            case 2: sample = Sample(uuid: sample.uuid, type: .oxygenSaturation, start: sample.start, value: .quantity("0.970", unit: "%"))
            case 3: sample.zone = TimeZone(identifier: "Europe/Berlin")
            default: break
            }
            samples.append(sample)
        }
        for bundled in BundledRelease.all {
            let grouping = SampledSeries.grouping(samples)
            var back = grouping.rest
            for series in grouping.series {
                guard let observation = try series.observation(release: bundled.release) else {
                    back += series.samples
                    continue
                }
                #expect(observation.validate().isEmpty)
                back += try SampledSeries.samples(of: observation, origin: series.samples[0].origin)
            }
            #expect(!grouping.series.isEmpty)
            #expect(back.sorted { $0.uuid.uuidString < $1.uuid.uuidString } == samples, "seed \(seed), \(bundled.release)")
        }
    }

    @Test func dataWithoutTheirIdentifiersAreDamaged() throws {
        let series = try #require(SampledSeries.grouping([heartRate(1, at: 0), heartRate(2, at: 5)]).series.first)
        let observation = try #require(try series.observation(release: .r4) as? Observation)
        observation.identifier.removeLast()
        #expect(throws: SampleError.self) { try SampledSeries.samples(of: observation) }
    }
}
