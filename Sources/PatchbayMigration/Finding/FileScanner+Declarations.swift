extension FileScanner {
    /// Finds `import Module`, `@import Module` and `#import <Module/Header.h>`.
    mutating func readImports() {
        for index in tokens.indices where word(at: index) == "import" && language == .swift {
            if let name = word(at: index + 1) { modules.insert(name) }
        }
        var neededModules: [Int: String?] = [:]
        for index in tokens.indices {
            guard let keyword = word(at: index), keyword == "import" || keyword == "include" else { continue }
            guard isSign("#", at: index - 1) || isSign("@", at: index - 1) || language == .swift else { continue }
            var names: [String] = []
            if tokens.indices.contains(index + 1), tokens[index + 1].kind == .string {
                // "Folder/Header.h": the header names a class.
                let path = tokens[index + 1].text.split(separator: "/").last ?? ""
                names = [String(path.prefix { $0 != "." && $0 != "+" })]
            } else {
                for next in (index + 1)..<min(index + 6, tokens.count) {
                    if tokens[next].line != tokens[index].line { break }
                    if let name = word(at: next) { names.append(name) }
                }
            }
            for (vendor, known) in catalogue.vendors.enumerated() {
                guard let name = names.first(where: { known.imports.contains($0) || isHeader($0, of: vendor) }) else {
                    continue
                }
                imported.insert(vendor)
                result.vendors.insert(vendor)
                let needed = neededModules[vendor] ?? neededModule(of: known)
                neededModules.updateValue(needed, forKey: vendor)
                let isComplete = name == known.name && needed.map(modules.contains) ?? true
                let isSame = language == .swift && (isComplete || name == known.name + "Names")
                let text =
                    language == .swift
                    ? "write import \(needed ?? known.name)" : "remove it; the module is imported in Swift"
                add(
                    "import \(name)", isSame ? .works : .otherwise(link: "\(known.guide)#names", text: text),
                    vendor: vendor,
                    at: index,
                    .moduleImport)
                for position in (index + 1)..<min(index + 6, tokens.count)
                where tokens[position].line == tokens[index].line {
                    isRead[position] = true
                }
            }
        }
    }

    /// The module of its own that a name of the file has.
    private func neededModule(of vendor: VendorCatalogue) -> String? {
        let modules = vendor.notes.compactMapValues(\.module)
        return modules.isEmpty ? nil : tokens.lazy.compactMap { $0.isWord ? modules[$0.text] : nil }.first
    }

    private func isHeader(_ name: String, of vendor: Int) -> Bool {
        language == .objectiveC && catalogue.names[name].map { $0.vendor == vendor && $0.isDistinctive } == true
    }

    /// Collects the names that the file declares.
    mutating func readDeclarations() {
        for index in tokens.indices {
            switch language {
            case .swift: readSwiftDeclaration(at: index)
            case .objectiveC: readObjectiveCDeclaration(at: index)
            }
        }
        readSubclasses()
    }

    private mutating func readSwiftDeclaration(at index: Int) {
        guard let keyword = word(at: index), let name = word(at: index + 1), !isSign(".", at: index - 1) else { return }
        switch keyword {
        case "class", "struct", "enum", "protocol", "actor", "typealias":
            guard name != "func", name != "var", name != "let" else { return }
            result.declaredTypes.insert(name)
            if keyword == "class" { readSuperclass(of: name, at: afterGenerics(index + 2)) }
            if keyword != "typealias" { readSupertypes(of: name, at: index + 2) }
        case "extension":
            var last = index + 1
            while isSign(".", at: last + 1), word(at: last + 2) != nil { last += 2 }
            readSupertypes(of: tokens[last].text, at: last + 1)
        case "func":
            let open = afterGenerics(index + 2)
            guard isSign("(", at: open), let end = brackets[open] else { return }
            addMethod(MemberName(base: name, labels: labels(from: open, to: end)))
        case "let", "var": addConstant(name)
        // A case is written with a dot, so it hides no name of the vendor.
        case "case": if catalogue.names[name] == nil, !isPattern(at: index) { addConstant(name) }
        default: break
        }
    }

    /// Whether `case` begins a pattern, as in a `switch`, and declares nothing.
    private func isPattern(at index: Int) -> Bool {
        if ["if", "guard", "while", "for"].contains(word(at: index - 1)) { return true }
        var next = index + 2
        while isSign(",", at: next), word(at: next + 1) != nil { next += 2 }
        return isSign(":", at: next) || isSign(".", at: next) || word(at: next) == "where"
    }

    /// A constant of the app whose name looks like one of a vendor.
    private mutating func addConstant(_ name: String) {
        guard name.utf8.first.map({ $0 < 97 }) == true else { return }
        result.declaredTypes.insert(name)
    }

    private mutating func addMethod(_ name: MemberName) {
        result.declaredMembers[name.base, default: []].insert(name)
    }

    /// The index after generic parameters, if there are some.
    func afterGenerics(_ index: Int) -> Int {
        guard isSign("<", at: index) else { return index }
        var depth = 0
        for next in index..<min(index + 40, tokens.count) {
            if isSign("<", at: next) { depth += 1 }
            if isSign(">", at: next), !isSign("-", at: next - 1) { depth -= 1 }
            if depth == 0 { return next + 1 }
        }
        return index
    }

    /// The first name of `: Superclass, Protocol`.
    private mutating func readSuperclass(of type: String, at colon: Int) {
        guard isSign(":", at: colon) else { return }
        var next = colon + 1
        while isSign("@", at: next) { next += 2 }
        while word(at: next) == "nonisolated" || isSign(".", at: next + 1) { next += isSign(".", at: next + 1) ? 2 : 1 }
        guard let name = word(at: next) else { return }
        superclasses[type] = name
        superclassTokens.insert(next)
    }

    /// `: Supertype, Protocol {`, or the brace alone, after the name of a type.
    private mutating func readSupertypes(of type: String, at start: Int) {
        let index = afterGenerics(start)
        let hasSupertypes = isSign(":", at: index)
        guard hasSupertypes || isSign("{", at: index) || word(at: index) == "where" else { return }
        var supertypes: [Variables.Known] = []
        var next = index
        while next < min(index + 40, tokens.count), !isSign("{", at: next) {
            if hasSupertypes, let name = word(at: next), let vendor = vendor(ofType: name) {
                supertypes.append(Variables.Known(type: name, vendor: vendor))
            }
            next += 1
        }
        guard isSign("{", at: next), let end = brackets[next] else { return }
        bodies.append(Body(type: type, range: next..<end, supertypes: supertypes))
    }

    private mutating func readObjectiveCDeclaration(at index: Int) {
        readObjectiveCClass(at: index)
        let kinds: Set<String> = ["interface", "protocol", "implementation"]
        if let keyword = word(at: index), kinds.contains(keyword), isSign("@", at: index - 1),
            let name = word(at: index + 1), !isSign("(", at: index + 2), !isSign(";", at: index + 2),
            !isSign(",", at: index + 2)
        {
            result.declaredTypes.insert(name)
            if keyword != "implementation" { result.interfaces.insert(name) }
        }
        if word(at: index) == "define", isSign("#", at: index - 1), let name = word(at: index + 1),
            word(at: index + 2).map({ catalogue.names[$0] == nil }) ?? true
        {
            addConstant(name)
        }
        if isMethod(at: index), let end = brackets[index + 1] { readMethod(at: end + 1) }
    }

    /// `name:(Type)parameter label:(Type)parameter` after the type of the result.
    private mutating func readMethod(at start: Int) {
        guard let base = word(at: start) else { return }
        var name = MemberName(base: base)
        var next = start
        while word(at: next) != nil, isSign(":", at: next + 1) {
            name.labels = name.labels.map { $0 + [tokens[next].text] } ?? ["_"]
            next += 2
            if isSign("(", at: next), let end = brackets[next] { next = end + 1 }
            next += 1
        }
        addMethod(name)
    }
}
