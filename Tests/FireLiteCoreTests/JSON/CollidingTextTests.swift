import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

/// Texts and member names that were chosen to meet in one place of a hash table. Steps are counted, not time.
@Suite struct CollidingTextTests {
    private func place(_ text: String, _ seed: UInt64) -> Int {
        var text = text
        return text.withUTF8 { bytes in bytes.baseAddress.map { StringCache.place(of: StringCache.hash($0, bytes.count, seed)) } ?? -1 }
    }

    private func read(_ texts: [String], _ cache: StringCache) -> [String] {
        texts.map { text in
            var text = text
            return text.withUTF8 { bytes in bytes.baseAddress.map { cache.string($0, bytes.count) } ?? "" }
        }
    }

    private func colliding(_ count: Int, _ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: 1)
        var texts: [String] = []
        while texts.count < count {
            let text = "http://x/" + String(generator.next(), radix: 36)
            if text.utf8.count >= 16, place(text, seed) == 7 { texts.append(text) }
        }
        return texts
    }

    /// Texts chosen for one seed, or for the time without any, take different places with another.
    @Test(arguments: [0, 12_345] as [UInt64])
    func textsChosenForOneSeedAreSpreadByOthers(seed: UInt64) {
        let texts = colliding(40, seed)
        #expect(Set(texts.map { place($0, seed) }).count == 1)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let other = generator.next()
            #expect(Set(texts.map { place($0, other) }).count > 30)
        }
        // Whatever meets, each text comes out as it went in.
        for cache in [StringCache(isEnabled: true, seed: seed), StringCache(isEnabled: true), StringCache(isEnabled: false)] {
            #expect(read(texts + texts.reversed(), cache) == texts + texts.reversed())
        }
    }

    /// Where the bytes of a text are.
    private func storage(_ text: String) -> UnsafePointer<UInt8>? {
        var text = text
        return text.withUTF8 { $0.baseAddress }
    }

    /// A text that occurs once does not replace one that repeats; one that comes a second time does.
    @Test func aTextIsKeptFromItsSecondOccurrenceOn() {
        let texts = colliding(8, 5)
        let cache = StringCache(isEnabled: true, seed: 5)
        let first = read([texts[0]], cache)[0]
        for other in texts[1...] {
            #expect(read([other], cache) == [other])
            #expect(storage(read([texts[0]], cache)[0]) == storage(first))
        }
        let kept = read([texts[1], texts[1], texts[1]], cache)
        #expect(kept == [texts[1], texts[1], texts[1]])
        #expect(storage(kept[1]) == storage(kept[2]))
        #expect(storage(read([texts[0]], cache)[0]) != storage(first))
    }

    /// The tables of member names are the model's: no name from outside is compared with more than the longest run of names in them.
    @Test func memberNamesStandInShortRuns() {
        var longest = 0
        for type in FHIRRelease.r4.types {
            let table = type._layout.table.pointee
            let used = (0...table.memberMask).map { table.members[$0] != LayoutTable.noSlot }
            var run = 0
            for isUsed in used + used {
                run = isUsed ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        #expect(longest <= 16)
    }
}
