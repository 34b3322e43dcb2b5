# Turns symbol graphs, as swift-symbolgraph-extract writes them with -pretty-print, into one line a declaration. See api.sh.
#
# The indentation tells what a line belongs to: members of the graph have 2 spaces, members of a symbol or relationship 6.

function text(line) {
    sub(/^[^:]*: "/, "", line)
    sub(/",?$/, "", line)
    return unescaped(line)
}

function item(line) {
    sub(/^ *"/, "", line)
    sub(/",?$/, "", line)
    return unescaped(line)
}

function unescaped(line) {
    gsub(/\\"/, "\"", line)
    gsub(/\\\//, "/", line)
    gsub(/\\n */, " ", line)
    gsub(/\\t/, " ", line)
    gsub(/\\\\/, "\\", line)
    return line
}

# Protocols that every type has say nothing.
function isImplied(name) { return name ~ /^(Copyable|Escapable|SendableMetatype|BitwiseCopyable)$/ }

function isType(kind) { return kind ~ /^(class|struct|enum|protocol)$/ }

function endSymbol() {
    count++
    id[count] = symbolID
    moduleOf[count] = module
    kindOf[count] = kind
    pathOf[count] = path
    parentOf[count] = parent
    declaration = fragments
    if (constraints != "") declaration = declaration "  [where " constraints "]"
    textOf[count] = declaration
    nameOf[symbolID] = path
    parentName[symbolID] = parent
}

FNR == 1 { section = ""; key = ""; isModule = 0 }

/^  "symbols": \[/ { section = "symbols"; next }
/^  "relationships": \[/ { section = "relationships"; next }
/^  "module": \{/ { section = "module"; next }
section == "module" && /^    "name": / { module = text($0); next }

section == "symbols" && /^    \{/ {
    symbolID = kind = path = parent = fragments = constraints = last = ""
    key = ""
    next
}
section == "symbols" && /^    \}/ { endSymbol(); next }
section == "symbols" && /^      "/ {
    key = $1
}
section == "symbols" && key == "\"kind\":" && /^        "identifier": / {
    kind = text($0)
    sub(/^swift\./, "", kind)
    next
}
section == "symbols" && key == "\"identifier\":" && /^        "precise": / { symbolID = text($0); next }
section == "symbols" && key == "\"pathComponents\":" && /^        "/ {
    parent = path
    last = item($0)
    path = path == "" ? last : path "." last
    next
}
section == "symbols" && key == "\"declarationFragments\":" && /^          "spelling": / { fragments = fragments text($0); next }
section == "symbols" && key == "\"accessLevel\":" && /"open"/ { fragments = "open " fragments; next }
section == "symbols" && key == "\"swiftExtension\":" && /^            "kind": / { relation = text($0); next }
section == "symbols" && key == "\"swiftExtension\":" && /^            "lhs": / { left = text($0); next }
section == "symbols" && key == "\"swiftExtension\":" && /^            "rhs": / {
    constraints = constraints (constraints == "" ? "" : ", ") left (relation == "sameType" ? " == " : ": ") text($0)
    next
}

section == "relationships" && /^    \{/ { relation = source = target = fallback = ""; next }
section == "relationships" && /^      "kind": / { relation = text($0); next }
section == "relationships" && /^      "source": / { source = text($0); next }
section == "relationships" && /^      "target": / { target = text($0); next }
section == "relationships" && /^      "targetFallback": / { fallback = text($0); next }
section == "relationships" && /^    \}/ {
    if (relation == "memberOf" && !(target in nameOf)) nameOf[target] = parentName[source]
    if (relation == "inheritsFrom" || relation == "conformsTo") {
        links++
        linkModule[links] = module
        linkKind[links] = relation
        linkSource[links] = source
        linkTarget[links] = target
        linkFallback[links] = fallback
    }
    next
}

function targetName(link, name) {
    name = linkTarget[link] in nameOf ? nameOf[linkTarget[link]] : linkFallback[link]
    if (name == "") name = linkTarget[link]
    sub(/^[A-Za-z]*\./, "", name)
    return name
}

# A superclass or a protocol that comes before others in the alphabet is put before them, so that the order of the graph does not matter.
function inserted(list, name, parts, number, result, i, done) {
    if (list == "") return name
    number = split(list, parts, ", ")
    result = ""
    for (i = 1; i <= number; i++) {
        if (parts[i] == name) return list
        if (!done && name < parts[i]) { result = result (result == "" ? "" : ", ") name; done = 1 }
        result = result (result == "" ? "" : ", ") parts[i]
    }
    return done ? result : result ", " name
}

# A line begins with what it is sorted by: module and name.
function line(module, kind, path, declaration) {
    print module "\t" path "\t" module "  " kind "  " path "  " declaration
}

END {
    number = split(modules, order, " ")
    for (i = 1; i <= count; i++) if (isType(kindOf[i])) {
        ownerModule[id[i]] = moduleOf[i]
        if (kindOf[i] == "protocol") protocolID[pathOf[i]] = id[i]
    }
    for (i = 1; i <= links; i++) {
        name = targetName(i)
        if (isImplied(name)) continue
        source = linkSource[i]
        if (linkKind[i] == "inheritsFrom") {
            super[source] = name
            superID[source] = linkTarget[i]
        }
        else if (ownerModule[source] == linkModule[i]) protocols[source] = inserted(protocols[source], name)
        else {
            added = linkModule[i] SUBSEP source
            others[added] = inserted(others[added], name)
        }
    }
    for (added in others) {
        split(added, parts, SUBSEP)
        name = parts[2] in nameOf ? nameOf[parts[2]] : parts[2]
        line(parts[1], "extension", name, "extension " name ": " others[added])
    }
    for (i = 1; i <= count; i++) {
        if (isType(kindOf[i])) {
            inherits = superclasses(i)
            # A protocol's text names what it inherits from already.
            if (inherits != "" && textOf[i] !~ / : /) textOf[i] = textOf[i] inherits
        }
        if (moduleOf[i] != compact) {
            line(moduleOf[i], kindOf[i], pathOf[i], textOf[i])
        } else if (isType(kindOf[i])) {
            head[pathOf[i]] = superclasses(i)
            headKind[pathOf[i]] = kindOf[i]
        } else {
            member = substr(pathOf[i], length(parentOf[i]) + 2)
            if (kindOf[i] == "property") {
                type = textOf[i]
                sub(/^[^:]*: /, "", type)
                sub(/ \{.*$/, "", type)
                member = member ": " type
            }
            owner = parentOf[i]
            members[owner] = members[owner] (members[owner] == "" ? "" : SUBSEP) member
        }
    }
    for (owner in head) {
        print compact "\t" owner "\t" compact "  " headKind[owner] "  " owner head[owner] listed(owner)
    }
    for (owner in members) {
        if (owner in head) continue
        print compact "\t" owner "\t" compact "  extension  " owner listed(owner)
    }
}

# The superclass and the protocols of a symbol, without those that the superclass has.
function superclasses(i, own, parts, number, j, result) {
    own = id[i]
    result = super[own]
    number = split(protocols[own], parts, ", ")
    for (j = 1; j <= number; j++) {
        if (own in superID && index(", " protocols[superID[own]] ", ", ", " parts[j] ", ")) continue
        if (isInherited(parts[j], parts, number)) continue
        result = result (result == "" ? "" : ", ") parts[j]
    }
    return result == "" ? "" : ": " result
}

# Whether another of the protocols comes with this one.
function isInherited(name, parts, number, j) {
    for (j = 1; j <= number; j++) {
        if (parts[j] in protocolID && index(", " protocols[protocolID[parts[j]]] ", ", ", " name ", ")) return 1
    }
    return 0
}

# The members of a type in order, each once.
function listed(owner, parts, number, i, j, held, result, distinct) {
    if (members[owner] == "") return ""
    number = split(members[owner], parts, SUBSEP)
    for (i = 2; i <= number; i++) {
        held = parts[i]
        for (j = i - 1; j >= 1 && parts[j] > held; j--) parts[j + 1] = parts[j]
        parts[j + 1] = held
    }
    result = ""
    for (i = 1; i <= number; i++) {
        if (i > 1 && parts[i] == parts[i - 1]) continue
        result = result (result == "" ? "" : "; ") parts[i]
        distinct++
    }
    return "  [" distinct "] " result
}
