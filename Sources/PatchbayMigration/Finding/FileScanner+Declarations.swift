extension FileScanner {
    /// Finds `import Module`, `@import Module` and `#import <Module/Header.h>`.
    mutating func readImports() {
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
                let isSame = name == known.name && language == .swift
                let text =
                    language == .swift ? "write import \(known.name)" : "remove it; the module is imported in Swift"
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
    }

    private mutating func readSwiftDeclaration(at index: Int) {
        guard let keyword = word(at: index), let name = word(at: index + 1), !isSign(".", at: index - 1) else { return }
        switch keyword {
        case "class", "struct", "enum", "protocol", "actor", "typealias":
            guard name != "func", name != "var", name != "let" else { return }
            result.declaredTypes.insert(name)
            readSupertypes(at: index + 2)
        case "func": result.declaredMembers.insert(name)
        case "let", "var", "case": addConstant(name)
        default: break
        }
    }

    /// A constant of the app whose name looks like one of a vendor.
    private mutating func addConstant(_ name: String) {
        guard name.utf8.first.map({ $0 < 97 }) == true, catalogue.names[name] == nil else { return }
        result.declaredTypes.insert(name)
    }

    /// `: Supertype, Protocol {` after the name of a type.
    private mutating func readSupertypes(at index: Int) {
        guard isSign(":", at: index) else { return }
        var supertypes: [Variables.Known] = []
        var next = index + 1
        while next < min(index + 40, tokens.count), !isSign("{", at: next) {
            if let name = word(at: next), let vendor = vendor(ofType: name) {
                supertypes.append(Variables.Known(type: name, vendor: vendor))
            }
            next += 1
        }
        guard !supertypes.isEmpty, isSign("{", at: next), let end = brackets[next] else { return }
        bodies.append(Body(range: next..<end, supertypes: supertypes))
    }

    /// A method that the app's class overrides, implements or calls without a receiver.
    mutating func readInherited(at index: Int) -> Bool {
        guard let body = bodies.last(where: { $0.range.contains(index) }), let end = brackets[index + 1] else {
            return false
        }
        let name = MemberName(base: tokens[index].text, labels: labels(from: index + 1, to: end))
        for known in body.supertypes {
            guard let found = member(name, of: known.type, vendor: known.vendor), !found.isUnknown,
                !found.hasOtherLabels
            else { continue }
            addMember(
                checked(found, vendor: known.vendor, from: index, to: end), name.text, of: known.type,
                vendor: known.vendor, at: index)
            return true
        }
        return false
    }

    /// What is known of a member, for a declaration with types of its parameters that no module has: `NSError`, and
    /// implicitly unwrapped ones.
    private func checked(
        _ found: VendorCatalogue.Found, vendor: Int, from name: Int, to end: Int
    ) -> VendorCatalogue.Found {
        guard language == .swift, found.verdict == .works, word(at: name - 1) == "func" else { return found }
        let range = (name + 1)..<end
        // `_ error: inout NSError?` is a parameter of the modules too.
        let hasError = range.contains { word(at: $0) == "NSError" && word(at: $0 - 1) != "inout" }
        // An override may unwrap a parameter implicitly; a method of a protocol may not.
        let isOverride = (name - 4..<name).contains { word(at: $0) == "override" }
        guard hasError || !isOverride && range.contains(where: { isSign("!", at: $0) }) else { return found }
        let guide = catalogue.vendors[vendor].guide
        let text = "its parameters have other types in the module: no `!`, and the module's error for NSError"
        var found = found
        found.verdict = .otherwise(link: "\(guide)#names", text: text)
        return found
    }

    private mutating func readObjectiveCDeclaration(at index: Int) {
        let kinds: Set<String> = ["interface", "protocol", "implementation"]
        if let keyword = word(at: index), kinds.contains(keyword), isSign("@", at: index - 1),
            let name = word(at: index + 1), !isSign("(", at: index + 2), !isSign(";", at: index + 2),
            !isSign(",", at: index + 2)
        {
            if let known = catalogue.names[name], known.isDistinctive { result.isVendorHeader = true }
            result.declaredTypes.insert(name)
        }
        if word(at: index) == "define", isSign("#", at: index - 1), let name = word(at: index + 1) { addConstant(name) }
        if tokens[index].startsLine, isSign("-", at: index) || isSign("+", at: index), isSign("(", at: index + 1),
            let end = brackets[index + 1], let name = word(at: end + 1)
        {
            result.declaredMembers.insert(name)
        }
    }
}
