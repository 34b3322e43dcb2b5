import FireLite
import FireLiteCore
import FireLiteService
import Foundation

/// A patient over time: what is active, a timeline with zoom, and the series of numbers.
enum TimelinePage {
    private static let (width, left, right, lane) = (1_000.0, 150.0, 990.0, 34.0)
    /// The number of charts and of events in the list.
    private static let most = (charts: 12, events: 60)

    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        guard type == "Patient" else { throw PageProblem.nowhere }
        let patient = try call.resource(type, id)
        let moment = try asOf(call)
        let record = try PatientRecord(call, patient: id, asOf: moment, until: time("to", call, isEnd: true))
        var page = ResourcePage.frame(call, patient, type: type, id: id, tab: "Timeline")
        if let moment {
            let time = Numbers.time(moment)
            page.content += Parts.note("As of \(time) UTC, from the history. What was stored before it began is as it was then.")
        }
        if !record.cut.isEmpty {
            let numbers = Dictionary(grouping: record.cut) { PatientRecord.most(of: $0, isPast: moment != nil) }.sorted { $0.key < $1.key }
            let sentences = numbers.map { "Of \($1.joined(separator: ", ")) only the latest \(Numbers.count($0)) are shown." }
            page.content += Parts.note(sentences.joined(separator: " ") + " An earlier time shows others.")
        }
        if !record.leftOut.isEmpty { page.content += leftOut(record, call) }
        let lanes = record.resources.map { type, resources in (type: type, events: resources.compactMap { TimelineEvent($0) }) }.filter {
            !$0.events.isEmpty
        }
        let dates = lanes.flatMap { $0.events.flatMap { [$0.start, $0.end ?? $0.start] } }
        let drawn: HTML
        if let first = dates.min(), let last = dates.max() {
            let range = try self.range(call, first, last)
            let observations = lanes.first { $0.type == "Observation" }?.events ?? []
            drawn =
                self.timeline(call, lanes, range: range, whole: (first, last)) + self.charts(observations, range)
                + self.list(lanes, range)
        } else if !record.leftOut.isEmpty {
            drawn = Parts.card("Timeline", Parts.empty("There was no time to read what happened."))
        } else if !record.cut.isEmpty {
            drawn = Parts.card("Timeline", Parts.empty("Nothing happened in this time."))
        } else {
            drawn = Parts.card(
                "Timeline", Parts.empty("The store has no encounter, condition, medication or observation of the patient with a date."))
        }
        page.content += active(record, moment) + drawn
        let everything = "Patient/\(id)/$everything"
        page.content += Parts.how([
            ("Search", everything), ("Command", "firelite search \(Parts.shell(call.store.path)) \(Parts.shell(everything))"),
            ("Swift", "let record = try store.search(\(Parts.swift(everything)))"),
        ])
        return page.response(call)
    }

    private static func leftOut(_ record: PatientRecord, _ call: PageCall) -> HTML {
        let types = record.leftOut.joined(separator: ", ")
        let time = Numbers.seconds(call.configuration.consoleTime)
        guard call.address["~wait"] == nil else {
            let why = "to read the latest takes longer than \(time). Indexes on references make it faster"
            return Parts.note("Of \(types) nothing is shown: \(why).")
        }
        let link = Parts.link("Read for up to \(time)", call.address.with("~wait", "1"))
        return "<p class=\"note\">Of \(types) nothing is shown: to read the latest takes longer than a page may. \(link).</p>"
    }

    // MARK: - Parameters

    private static func asOf(_ call: PageCall) throws -> Date? {
        guard let text = call.address["asof"] else { return nil }
        guard let date = FHIRDateTime(text)?.date else {
            throw PageProblem(
                400, "The moment cannot be read", "Write it as FHIR writes a date: 2020-05-01, or with a time 2020-05-01T09:00:00Z.")
        }
        return text.contains("T") ? date : Self.end(of: text) ?? date
    }

    /// The last millisecond of the year, month, day, minute or second that a text names.
    private static func end(of text: String) -> Date? {
        guard let end = FHIRDateTime(text)?.span?.utc.end else { return nil }
        return Date(timeIntervalSince1970: Double(end.minute * 60 + end.second) + Double(end.nanosecond) * 1e-9 - 0.001)
    }

    private static func time(_ name: String, _ call: PageCall, isEnd: Bool) throws -> Date? {
        guard let text = call.address[name] else { return nil }
        guard let date = FHIRDateTime(text)?.date else {
            throw PageProblem(400, "The time cannot be read", "Write from and to as FHIR writes a date: 2020, 2020-05 or 2020-05-01.")
        }
        return isEnd ? end(of: text) ?? date : date
    }

    private static func range(_ call: PageCall, _ first: Date, _ last: Date) throws -> (start: Date, end: Date) {
        let pad = max(last.timeIntervalSince(first) * 0.01, 43_200)
        let (from, to) = (try time("from", call, isEnd: false), try time("to", call, isEnd: true))
        if let from, let to {
            guard from < to else { throw PageProblem(400, "The time is empty", "The parameter from is after to.") }
            return (from, to)
        }
        // One of them may lie before or after all events.
        let (start, end) = (from ?? first.addingTimeInterval(-pad), to ?? last.addingTimeInterval(pad))
        let year = 366.0 * 86_400
        return start < end ? (start, end) : from == nil ? (end.addingTimeInterval(-year), end) : (start, start.addingTimeInterval(year))
    }

    // MARK: - What is active

    private static func active(_ record: PatientRecord, _ moment: Date?) -> HTML {
        let title = moment == nil ? "Active now, by status" : "Active then, by status"
        let groups = record.active
        let isWhole = record.leftOut.isEmpty
        guard !groups.isEmpty else {
            return Parts.card(title, Parts.empty(isWhole ? "Nothing is active." : "Nothing is active of what was read."))
        }
        let lists = groups.map { type, resources -> HTML in
            let items = resources.prefix(12).map { resource -> HTML in
                let text = Numbers.clipped(Summary.title(resource) ?? resource.id ?? type, 80)
                let link = resource.id.map { Parts.link(text, .resource(type, $0)) } ?? "\(text)"
                return "<div>\(link) <span class=\"muted small\">\(Summary.date(resource).map { String($0.prefix(10)) } ?? "")</span></div>"
            }
            let more: HTML = resources.count > 12 ? "<div class=\"muted\">and \(resources.count - 12) more</div>" : ""
            return "<div><h3>\(type)</h3>\(items)\(more)</div>"
        }
        return Parts.card(title, "<div class=\"grid halves\">\(lists)</div>")
    }

    // MARK: - Timeline

    private static func timeline(
        _ call: PageCall, _ lanes: [(type: String, events: [TimelineEvent])], range: (start: Date, end: Date), whole: (Date, Date)
    ) -> HTML {
        let scale = TimeScale(start: range.start, end: range.end, left: left, right: right)
        let height = Double(lanes.count) * lane + 30
        let grid = scale.ticks.map { tick -> HTML in
            let x = Charts.point(scale.place(tick.date))
            return
                "<line class=\"grid-line\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(Charts.point(height - 22))\"/><text x=\"\(x)\" y=\"\(Charts.point(height - 6))\" text-anchor=\"middle\">\(tick.text)</text>"
        }
        let drawn = lanes.enumerated().map { index, one -> HTML in
            let y = Double(index) * lane + lane / 2
            let shown = one.events.filter { $0.start <= range.end && ($0.end ?? $0.start) >= range.start }
            return """
                <text class="label" x="0" y="\(Charts.point(y + 4))">\(one.type)</text><text x="\(Charts.point(left - 12))" y="\(Charts.point(y + 4))" \
                text-anchor="end">\(shown.count)</text>\(marks(shown, y: y, scale: scale, color: "c\(index % 6)", type: one.type))
                """
        }
        return Parts.card(
            "Timeline",
            zoom(call, range, whole) + """
                <div class="scroll" tabindex="0" role="region" aria-label="Timeline"><svg class="figure lanes" viewBox="0 0 \(Int(width)) \(Int(height))" role="img" \
                aria-label="Events of the patient by type over time; the list below has them as text">\(grid)\(drawn)</svg></div>
                """)
    }

    /// Events of a lane that fall on the same place are one mark.
    private static func marks(_ events: [TimelineEvent], y: Double, scale: TimeScale, color: String, type: String) -> [HTML] {
        var places: [Int: [TimelineEvent]] = [:]
        var bars: [HTML] = []
        for event in events {
            if let end = event.end, scale.place(end) - scale.place(event.start) > 6, bars.count < 200 {
                let x = scale.place(event.start)
                bars.append(
                    """
                    <rect class="\(color)" x="\(Charts.point(x))" y="\(Charts.point(y - 5))" width="\(Charts.point(scale.place(end) - x))" height="10" rx="3" \
                    fill-opacity="0.45"><title>\(label(event, type))</title></rect>
                    """)
            } else {
                places[Int(scale.place(event.start) / 4), default: []].append(event)
            }
        }
        let dots = places.sorted { $0.key < $1.key }.map { _, events -> HTML in
            let text = events.count == 1 ? label(events[0], type) : "\(events.count) of \(type): \(label(events[0], type)), …"
            let radius = events.count == 1 ? 4 : min(8, 4 + events.count / 4)
            return """
                <circle class="\(color)" cx="\(Charts.point(scale.place(events[0].start)))" cy="\(Charts.point(y))" r="\(radius)" fill-opacity="0.8"><title>\(text)</title></circle>
                """
        }
        return bars + dots
    }

    private static func label(_ event: TimelineEvent, _ type: String) -> String {
        "\(Charts.day(event.start)) \(Numbers.clipped(Summary.title(event.resource) ?? event.resource.id ?? type, 60))"
    }

    private static func zoom(_ call: PageCall, _ range: (start: Date, end: Date), _ whole: (Date, Date)) -> HTML {
        let span = range.end.timeIntervalSince(range.start)
        func address(_ start: Date, _ end: Date) -> Address { call.address.with("from", Charts.day(start)).with("to", Charts.day(end)) }
        func button(_ text: String, _ address: Address) -> HTML { "<a class=\"button quiet\" href=\"\(address.text)\">\(text)</a>" }
        let middle = range.start.addingTimeInterval(span / 2)
        var links = [button("All", call.address.without("from").without("to"))]
        for (text, days) in [("10 years", 3_653.0), ("5 years", 1_827), ("1 year", 366), ("3 months", 92)] {
            links.append(button(text, address(whole.1.addingTimeInterval(-days * 86_400), whole.1.addingTimeInterval(86_400))))
        }
        links.append(button("← Earlier", address(range.start.addingTimeInterval(-span / 2), range.end.addingTimeInterval(-span / 2))))
        links.append(button("Later →", address(range.start.addingTimeInterval(span / 2), range.end.addingTimeInterval(span / 2))))
        if span > 4 * 86_400 {
            links.append(button("Zoom in", address(middle.addingTimeInterval(-span / 4), middle.addingTimeInterval(span / 4))))
        }
        links.append(button("Zoom out", address(range.start.addingTimeInterval(-span / 2), range.end.addingTimeInterval(span / 2))))
        return """
            <div class="row noprint">\(links)<form class="row" action="\(Address(call.address.segments).text)"><div><label for="asof">As of</label>\
            <input id="asof" name="asof" size="12" placeholder="2020-05-01" value="\(call.address["asof"] ?? "")"></div><button class="quiet">Show</button></form></div>
            """
    }

    // MARK: - Numbers

    private static func charts(_ events: [TimelineEvent], _ range: (start: Date, end: Date)) -> HTML {
        let all = NumericSeries.all(events).compactMap { series -> NumericSeries? in
            var series = series
            series.points.removeAll { $0.date < range.start || $0.date > range.end }
            return series.points.count > 1 ? series : nil
        }
        guard !all.isEmpty else { return "" }
        let figures = all.prefix(most.charts).map { series -> HTML in
            let last = series.points.last
            let value: HTML =
                last.map { point in
                    let text = "\(point.literal) \(series.unit)"
                    return point.address.map { Parts.link(text, $0) } ?? "\(text)"
                } ?? ""
            let limits = [series.low.map { "≥ \(Charts.short($0))" }, series.high.map { "≤ \(Charts.short($0))" }].compactMap { $0 }
            let reference: HTML = limits.isEmpty ? "" : "<span class=\"muted small\">reference \(limits.joined(separator: ", "))</span>"
            return """
                <section class="card"><h3>\(Numbers.clipped(series.title, 100))</h3><p>\(value) <span class="muted small">on \(last.map { Charts.day($0.date) } ?? ""), \
                \(series.points.count) values</span> \(reference)</p>\(Charts.line(series, (series.points.first?.date ?? range.start, series.points.last?.date ?? range.end)))</section>
                """
        }
        let more: HTML =
            all.count > most.charts ? "<p class=\"muted\">The \(most.charts) series with the most values, of \(all.count).</p>" : ""
        return "<h2>Numbers</h2>\(more)<div class=\"grid halves charts\">\(figures)</div>"
    }

    // MARK: - List

    private static func list(_ lanes: [(type: String, events: [TimelineEvent])], _ range: (start: Date, end: Date)) -> HTML {
        let all = lanes.flatMap { lane in lane.events.map { (lane.type, $0) } }.filter {
            $0.1.start >= range.start && $0.1.start <= range.end
        }
        .sorted { $0.1.start > $1.1.start }
        let rows = all.prefix(most.events).map { type, event -> HTML in
            let text = Numbers.clipped(Summary.title(event.resource) ?? event.resource.id ?? type, 100)
            let link = event.resource.id.map { Parts.link(text, .resource(type, $0)) } ?? "\(text)"
            let value = ElementValues.at("value", of: event.resource, limit: 1).first.flatMap { Summary.text($0) } ?? ""
            return
                "<tr><td>\(Charts.day(event.start))</td><td class=\"muted\">\(type)</td><td>\(link)</td><td>\(Numbers.clipped(value, 60))</td></tr>"
        }
        guard !rows.isEmpty else { return Parts.card("Events", Parts.empty("Nothing happened in this time.")) }
        let title =
            all.count > most.events
            ? "The last \(most.events) of \(Numbers.count(all.count)) events" : Numbers.count(all.count, "event", "events")
        return Parts.card(
            title, Parts.table("Events", ["<th>Date</th>", "<th>Type</th>", "<th>About</th>", "<th>Value</th>"], Array(rows)))
    }
}
