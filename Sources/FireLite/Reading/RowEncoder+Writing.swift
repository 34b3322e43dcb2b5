import FireLiteCore

// From the rows of a resource to its JSON: which rows are a list of which object, and the walk through them.
extension RowEncoder {
    /// The maximum number of lists of one owner that are sorted by insertion.
    private static let maximumRuns = 256
    /// The maximum depth of rows that are written by recursion.
    private static let maximumDepth = 64

    // MARK: - Lists

    /// Finds the lists of each row; false if an object is needed.
    func linkRuns() -> Bool {
        var index = 0
        while index < parts.count {
            let first = parts[index]
            let start = index
            var order = first.order
            index += 1
            while index < parts.count, isSameList(parts[index], first) {
                guard parts[index].order > order else { return false }
                order = parts[index].order
                index += 1
            }
            if first.parent < 0 { continue }
            guard link(first, Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: index), lastOrder: order) else { return false }
        }
        return true
    }

    @inline(__always)
    private func isSameList(_ part: Part, _ other: Part) -> Bool {
        guard part.parent == other.parent, part.columns.toOpaque() == other.columns.toOpaque(), part.memberLength == other.memberLength
        else {
            return false
        }
        return part.member == other.member
            || part.member >= 0 && other.member >= 0
                && sameBytes(bytes + Int(part.member), bytes + Int(other.member), Int(part.memberLength))
    }

    /// Adds a list to those of its owner.
    private func link(_ first: Part, _ rows: Range<Int32>, lastOrder: Int32) -> Bool {
        guard let owner = part(of: first.parent) else { return false }
        return first.columns._withUnsafeGuaranteedRef { columns in
            parts[owner].columns._withUnsafeGuaranteedRef { ownerColumns in
                guard let (slot, group) = place(first, columns, ownerColumns), let walk = ownerColumns.walk, group < walk.groups.count,
                    walk.groups[group].isPlain
                else { return false }
                let entry = ownerColumns.groups[group].layoutTable.pointee.entries + slot
                let key = walk.groups[group].key.followed(by: (slot + 1) * 4, after: walk.groups[group].length)
                let run = Run(
                    key: key, entry: entry, group: Int32(truncatingIfNeeded: group), rows: rows, firstOrder: first.order,
                    lastOrder: lastOrder, isPrimitive: columns.isPrimitive, next: -1)
                return insert(run, owner)
            }
        }
    }

    /// The slot and the inlined object of an owner's row that a row belongs to; nil if an object is needed.
    @inline(__always)
    private func place(_ part: Part, _ columns: RowColumns, _ owner: RowColumns) -> (slot: Int, group: Int)? {
        if part.member < 0 {
            if owner.table.toOpaque() == columns.owner { return (columns.ownerSlot, columns.ownerGroup) }
            return columns.plan.link(from: owner.plan).map { ($0.slot, $0.group.index) }
        }
        // A member of an inlined object has dots, and so no slot.
        let table = owner.groups[0].layoutTable
        guard let slot = table.pointee.slot(named: bytes + Int(part.member), Int(part.memberLength)),
            table.pointee.entries[slot].kind != .primitive, !columns.isPrimitive
        else { return nil }
        return (slot, 0)
    }

    /// Inserts a list into those of its owner, in the order of a walk.
    private func insert(_ run: Run, _ owner: Int) -> Bool {
        let number = Int32(truncatingIfNeeded: runs.count)
        var run = run
        var before: Int32 = -1
        var after = parts[owner].firstRun
        var steps = 0
        while after >= 0, !(run.key < runs[Int(after)].key),
            !(run.key == runs[Int(after)].key && run.firstOrder < runs[Int(after)].firstOrder)
        {
            (before, after) = (after, runs[Int(after)].next)
            steps += 1
            guard steps < Self.maximumRuns else { return false }
        }
        run.next = after
        runs.append(run)
        if before >= 0 { runs[Int(before)].next = number } else { parts[owner].firstRun = number }
        return true
    }

    // MARK: - JSON

    /// Writes the object of a row.
    func write(row index: Int, depth: Int) {
        let part = parts[index]
        visited += 1
        guard depth < Self.maximumDepth, depth == 0 || part.firstRun >= 0 || part.cellStart < part.cellEnd else {
            isUnusual = true
            return
        }
        part.columns._withUnsafeGuaranteedRef { columns in
            guard let walk = columns.walk else {
                isUnusual = true
                return
            }
            writer.beginObject(columns.groups[0].layoutTable)
            var group = 0
            var cell = Int(part.cellStart)
            var run = part.firstRun
            while cell < Int(part.cellEnd) || run >= 0 {
                if isUnusual { return }
                if run >= 0, cell == Int(part.cellEnd) || runs[Int(run)].key < walk.keys[Int(cells[cell].source)] {
                    move(from: &group, to: Int(runs[Int(run)].group), columns, walk)
                    run = write(list: run, depth: depth)
                } else {
                    let value = cells[cell]
                    let source = columns.sources[Int(value.source)]
                    if Int(source.group) != group { move(from: &group, to: Int(source.group), columns, walk) }
                    guard source.slot >= 0 else {
                        isUnusual = true
                        return
                    }
                    let entry = columns.groups[group].layoutTable.pointee.entries + Int(source.slot)
                    if value.length < 0 { writer.write(word: value.payload, entry) } else { writer.write(text: text(value), entry) }
                    cell += 1
                }
            }
            move(from: &group, to: 0, columns, walk)
            writer.endObject()
        }
    }

    @inline(__always)
    private func text(_ cell: Cell) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(cell.payload), count: cell.length)
    }

    /// Ends the current inlined objects that do not contain another, and begins it and those around it.
    private func move(from current: inout Int, to target: Int, _ columns: RowColumns, _ walk: RowWalk) {
        if current == target { return }
        guard walk.groups[target].isPlain else {
            isUnusual = true
            return
        }
        // A common object around both is left open.
        var shared = target
        while walk.groups[shared].depth > walk.groups[current].depth { shared = columns.groups[shared].parent }
        while current != shared {
            if walk.groups[current].depth == walk.groups[shared].depth { shared = columns.groups[shared].parent }
            writer.endObject()
            current = columns.groups[current].parent
        }
        begin(target, inside: current, columns)
        current = target
    }

    /// Begins an inlined object and those around it up to one that has begun.
    private func begin(_ group: Int, inside outer: Int, _ columns: RowColumns) {
        if group == outer { return }
        let parent = columns.groups[group].parent
        begin(parent, inside: outer, columns)
        writer.beginElement(columns.groups[parent].layoutTable.pointee.entries + columns.groups[group].parentSlot)
        writer.beginObject(columns.groups[group].layoutTable)
    }

    /// Writes a list, whose rows may come from several tables, or the object of a to-one element with a row of its own; returns the next list.
    private func write(list first: Int32, depth: Int) -> Int32 {
        let run = runs[Int(first)]
        var count = 0
        var end = first
        var order = Int32.min
        repeat {
            let next = runs[Int(end)]
            if next.firstOrder <= order || next.isPrimitive != run.isPrimitive { isUnusual = true }
            order = next.lastOrder
            count += next.rows.count
            end = next.next
        } while end >= 0 && runs[Int(end)].key == run.key
        if run.isPrimitive {
            write(primitives: first, to: end, count)
        } else if run.entry.pointee.isList {
            writer.beginList(run.entry, count: count)
            forEachRow(first, to: end) { row in
                writer.beginItem()
                write(row: row, depth: depth + 1)
            }
            writer.endList()
        } else {
            if count > 1 { isUnusual = true }
            writer.beginElement(run.entry)
            write(row: Int(run.rows.lowerBound), depth: depth + 1)
        }
        return end
    }

    private func write(primitives first: Int32, to end: Int32, _ count: Int) {
        let entry = runs[Int(first)].entry
        writer.beginPrimitives(entry, count: count)
        forEachRow(first, to: end) { row in
            let part = parts[row]
            visited += 1
            // Others have no value, or also an id or extensions.
            guard part.cellEnd == part.cellStart + 1, part.firstRun < 0 else {
                isUnusual = true
                return
            }
            let cell = cells[Int(part.cellStart)]
            guard cell.length >= 0, part.columns._withUnsafeGuaranteedRef({ $0.sources[Int(cell.source)].slot < 0 }) else {
                isUnusual = true
                return
            }
            writer.writeItem(text(cell), entry)
        }
        writer.endList()
    }

    @inline(__always)
    private func forEachRow(_ first: Int32, to end: Int32, _ body: (Int) -> Void) {
        var run = first
        while run != end, !isUnusual {
            for row in runs[Int(run)].rows { body(Int(row)) }
            run = runs[Int(run)].next
        }
    }
}
