/// The slices of an element that a program can tell apart.
struct SliceSelection {
    private(set) var slices: [ProfileElement] = []
    private(set) var tests: [String: [SliceTest]] = [:]
    /// The slices without tests, and why.
    private(set) var left: [(slice: ProfileElement, reason: String)] = []

    init(_ element: ProfileElement, profiles: [String: ProfileDefinition]) {
        guard !element.slices.isEmpty else { return }
        var found: [(slice: ProfileElement, tests: [SliceTest])] = []
        for slice in element.slices {
            do {
                found.append((slice, try SliceTest.tests(of: slice, in: element)))
            } catch {
                left.append((slice, error.reason))
            }
        }
        Self.refine(&found, profiles)
        for (slice, own) in found {
            if let other = found.first(where: { $0.tests == own && $0.slice.key != slice.key }) {
                let isReference = own.contains { if case .targets = $0 { true } else { false } }
                left.append(
                    (
                        slice,
                        isReference
                            ? "only the resources that its references lead to tell them from those of \(other.slice.key)"
                            : "the profile fixes the same for it as for \(other.slice.key)"
                    ))
                continue
            }
            slices.append(slice)
            tests[slice.key] = own
        }
    }

    /// Tells resources of one type apart by their profiles: by `meta.profile`, and by what the profiles say that their resources are about.
    private static func refine(_ found: inout [(slice: ProfileElement, tests: [SliceTest])], _ profiles: [String: ProfileDefinition]) {
        let groups = Dictionary(grouping: found.indices) { index -> String in
            guard found[index].tests.count == 1, case .types(let path, let types) = found[index].tests[0], types.count == 1 else {
                return ""
            }
            return "\(path) \(types[0])"
        }
        for (key, indices) in groups where !key.isEmpty && indices.count > 1 {
            guard case .types(let path, let types) = found[indices[0]].tests[0] else { continue }
            let urls = indices.map { Self.profile(at: path, found[$0].slice) }
            guard urls.allSatisfy({ $0.map { profiles[$0]?.type == types[0] } ?? false }), Set(urls).count == urls.count else { continue }
            let known = urls.compactMap { url in url.flatMap { profiles[$0] } }
            let subjects = known.map { SliceTest.subject(of: $0.root) }
            for (place, index) in indices.enumerated() {
                var lists: [[SliceTest]] = [[.profile(known[place].url)]]
                let isAlone = subjects.filter { $0 == subjects[place] }.count == 1
                if isAlone, !subjects[place].isEmpty {
                    lists.append(subjects[place])
                } else if isAlone {
                    // The rest: what is about nothing that another slice is about.
                    lists.append([
                        .none(
                            indices.indices.filter { $0 != place }.flatMap { other -> [[SliceTest]] in
                                [[.profile(known[other].url)]] + (subjects[other].isEmpty ? [] : [subjects[other]])
                            })
                    ])
                }
                found[index].tests = [.resource(path: path, types, lists.count == 1 ? lists[0] : [.any(lists)])]
            }
        }
    }

    private static func profile(at path: String, _ slice: ProfileElement) -> String? {
        var current = slice
        for name in path.split(separator: ".") {
            guard let next = current.child(name) else { return nil }
            current = next
        }
        return current.profile
    }
}
