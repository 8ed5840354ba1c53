/// The names of one vendor's SDK: what its module offers, and what is otherwise or missing.
struct VendorCatalogue {
    struct Member {
        var name: MemberName
        /// See `MemberName.flat`.
        var flat: String
        /// The type of the result, if it is a name of the catalogue.
        var result: String?
        /// Whether the result may be nil, or is implicitly unwrapped.
        var isOptional: Bool
        /// Whether it can be called: a method, an initializer, or a value that is a function.
        var isCallable: Bool
        /// Whether it is a member of the type, not of its objects.
        var isStatic: Bool
        /// Positions of the labels that a call may leave out: those of default values and of trailing closures.
        var optionalLabels: Set<Int>

        var firstLabel: String { name.labels?.first ?? "" }

        /// Whether a call with some labels can be one of this member.
        func takes(_ call: MemberName) -> Bool {
            guard let labels = call.labels, let others = name.labels else { return true }
            var rest = labels[...]
            for (index, label) in others.enumerated() {
                if rest.first == label {
                    rest.removeFirst()
                } else if !optionalLabels.contains(index) {
                    return false
                }
            }
            return rest.isEmpty
        }
    }

    struct Entry {
        var supertypes: [String] = []
        var members: [String: [Member]] = [:]
        var isTopLevel = true
        /// Whether it is another name of its supertype.
        var isAlias = false
    }

    private(set) var name = ""
    private(set) var guide = ""
    /// The section about Objective-C callers.
    private(set) var objectiveCLink = ""
    /// The section about types that differ.
    private(set) var typesLink = ""
    private(set) var prefixes: [String] = []
    private(set) var imports: Set<String> = []
    private(set) var entries: [String: Entry] = [:]
    private(set) var protocols: Set<String> = []
    /// Members that an app's class may override, by open class.
    private(set) var openMembers: [String: Set<String>] = [:]
    /// Notes about names at the top level, and about members: by type and flat name, or by flat name alone.
    private(set) var notes: [String: Verdict] = [:]
    /// Names that do not compile, by type and exact name, as Swift has it.
    private(set) var exactNotes: [String: Verdict] = [:]
    /// The same by type and flat name, as Objective-C has it.
    private(set) var flatNotes: [String: Verdict] = [:]
    /// The methods of all these notes, by type.
    private(set) var notedMethods: [String: [MemberName]] = [:]

    /// Types of the parameters of a delegate's or a handler's method, such as `Request!, Data!`, by type and name; one
    /// text for each overload.
    private var parameters: [String: [String]] = [:]

    /// Reads the text of one vendor; see `CatalogueText`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            let rest = words.count > 1 ? words[1] : ""
            switch words[0] {
            case "vendor": name = String(rest)
            case "guide": guide = "Documentation/" + rest
            case "objc": objectiveCLink = "Documentation/" + rest
            case "types": typesLink = "Documentation/" + rest
            case "prefixes": prefixes = rest.split(separator: " ").map(String.init)
            case "imports": imports = Set(rest.split(separator: " ").map(String.init))
            case "protocols": protocols = Set(rest.split(separator: " ").map(String.init))
            case "=", "~", "-": addNote(words[0], rest)
            case "+": addOpen(rest)
            case "!": addParameters(rest)
            default: addEntry(line)
            }
        }
    }

    private mutating func addEntry(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        let head = cells[0].split(separator: " ")
        var entry = Entry(
            supertypes: head.dropFirst().filter { $0 != ":" && $0 != "=" }.map(String.init),
            isAlias: head.contains("="))
        for text in (cells.count > 1 ? cells[1] : "").split(separator: " ") {
            let isStatic = text.hasPrefix("+")
            let parts = text.dropFirst(isStatic ? 1 : 0).split(separator: ">", maxSplits: 1)
            var name = MemberName(parts[0])
            let labels = name.labels ?? []
            name.labels = name.labels?.map { $0.hasPrefix("=") ? String($0.dropFirst()) : $0 }
            let mark = parts.count > 1 ? parts[1] : ""
            let result = mark.prefix { $0 != "?" && $0 != "(" }
            let member = Member(
                name: name, flat: name.flat, result: result.isEmpty ? nil : String(result),
                isOptional: mark.hasSuffix("?"), isCallable: name.labels != nil || mark.hasSuffix(")"),
                isStatic: isStatic, optionalLabels: Set(labels.indices.filter { labels[$0].hasPrefix("=") }))
            entry.members[member.name.base, default: []].append(member)
        }
        // A nested type, and one of another module, has members only.
        let isNested = head[0].hasPrefix(".")
        entry.isTopLevel = !isNested
        entries[String(isNested ? head[0].dropFirst() : head[0])] = entry
    }

    private mutating func addNote(_ mark: Substring, _ rest: Substring) {
        let cells = rest.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimming(" ") }
        let link = cells.count > 2 && !cells[1].isEmpty ? "Documentation/\(cells[1])" : ""
        let text = String(cells.last ?? "")
        let (type, member) = Self.split(cells[0])
        let verdict: Verdict =
            switch mark {
            case "=": .otherwise(link: link, text: text)
            case "~": .otherwise(link: "\(guide)#names", text: "write \(text)")
            default: .missing(link: link, text: text)
            }
        guard let member else {
            notes[type ?? ""] = verdict
            return
        }
        if let type, member.labels != nil { notedMethods[type, default: []].append(member) }
        if mark == "=" || link != "" {
            notes["\(type.map { $0 + "." } ?? ".")\(member.flat)"] = verdict
        } else {
            exactNotes["\(type ?? "").\(member.text)"] = verdict
            flatNotes["\(type ?? "").\(member.flat)"] = verdict
        }
    }

    private mutating func addOpen(_ rest: Substring) {
        let cells = rest.split(separator: "|", omittingEmptySubsequences: false)
        let members = (cells.count > 1 ? cells[1] : "").split(separator: " ").map(String.init)
        openMembers[String(cells[0].trimming(" "))] = Set(members)
    }

    private mutating func addParameters(_ rest: Substring) {
        let cells = rest.split(separator: "|").map { String($0.trimming(" ")) }
        parameters[cells.first ?? ""] = Array(cells.dropFirst())
    }

    /// Types of the parameters of a delegate's or a handler's method, one text for each overload; none if the method is
    /// not known.
    func parameters(of name: MemberName, in type: String) -> [String] {
        lineage(of: type).flatMap { parameters["\($0).\(name.text)"] ?? [] }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The type and the member of `Type.member(labels:)`, `Type` or `member`.
    private static func split(_ text: Substring) -> (type: String?, member: MemberName?) {
        let head = text.prefix { $0 != "(" }
        if let dot = head.lastIndex(of: ".") {
            return (String(text[..<dot]), MemberName(text[text.index(after: dot)...]))
        }
        if text.first?.isUppercase == true, !text.contains("("), !text.contains(":") { return (String(text), nil) }
        return (nil, MemberName(text))
    }

    /// A type and all that it inherits from, nearest first.
    func lineage(of type: String) -> [String] {
        var all = [type]
        var index = 0
        while index < all.count, all.count < 64 {
            for other in entries[all[index]]?.supertypes ?? [] where !all.contains(other) { all.append(other) }
            index += 1
        }
        return all
    }

    /// Whether a name is the vendor's by its prefix, such as `WL` before a capital letter.
    func hasPrefix(_ word: String) -> Bool {
        prefixes.contains { prefix in
            guard word.hasPrefix(prefix), let next = word.dropFirst(prefix.count).first else { return false }
            return next.isUppercase
        }
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = self
        while text.first == character { text.removeFirst() }
        while text.last == character { text.removeLast() }
        return text
    }
}
