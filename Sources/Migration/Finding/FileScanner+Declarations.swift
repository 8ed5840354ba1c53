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
                    "import \(name)", isSame ? .works : .otherwise(link: known.guide, text: text), vendor: vendor,
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
        default: break
        }
    }

    /// `: Supertype, Protocol {` after the name of a type.
    private mutating func readSupertypes(at index: Int) {
        guard isSign(":", at: index) else { return }
        var supertypes: [Variables.Known] = []
        var next = index + 1
        while next < min(index + 40, tokens.count), !isSign("{", at: next) {
            if let name = word(at: next), let vendor = vendor(ofType: name) { supertypes.append((name, vendor)) }
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
        for (type, vendor) in body.supertypes {
            guard let found = catalogue.vendors[vendor].swiftMember(name, of: type), !found.isUnknown else { continue }
            addMember(found, name.text, of: type, vendor: vendor, at: index)
            return true
        }
        return false
    }

    private mutating func readObjectiveCDeclaration(at index: Int) {
        if let keyword = word(at: index), keyword == "interface" || keyword == "protocol", isSign("@", at: index - 1),
            let name = word(at: index + 1), !isSign("(", at: index + 2), !isSign(";", at: index + 2),
            !isSign(",", at: index + 2)
        {
            if let known = catalogue.names[name], known.isDistinctive { result.isVendorHeader = true }
            result.declaredTypes.insert(name)
        }
        if tokens[index].startsLine, isSign("-", at: index) || isSign("+", at: index), isSign("(", at: index + 1),
            let end = brackets[index + 1], let name = word(at: end + 1)
        {
            result.declaredMembers.insert(name)
        }
    }

    /// Collects declarations of variables, properties and parameters.
    mutating func readVariables() {
        for index in tokens.indices where tokens[index].isWord {
            switch language {
            case .swift: readSwiftVariable(at: index)
            case .objectiveC: readObjectiveCVariable(at: index)
            }
        }
    }

    /// `name: Type`, and `let name = Type(`.
    private mutating func readSwiftVariable(at index: Int) {
        let name = tokens[index].text
        var type = index + 2
        if isSign(":", at: index + 1) {
            while let keyword = word(at: type), ["any", "some", "inout", "weak", "borrowing"].contains(keyword) {
                type += 1
            }
            while isSign("(", at: type) || isSign("@", at: type) { type += 1 }
            if word(at: type) == "any" { type += 1 }
            guard let text = word(at: type) else { return }
            if let vendor = vendor(ofType: text) {
                variables.declare(name, (text, vendor), at: index)
            } else if isDeclaration(at: index) || isParameter(type) {
                variables.declare(name, nil, at: index)
            }
        } else if isSign("=", at: index + 1), isDeclaration(at: index), let text = word(at: type) {
            if isSign("(", at: type + 1), let vendor = vendor(ofType: text) {
                variables.declare(name, (text, vendor), at: index)
            } else {
                variables.declare(name, nil, at: index)
            }
        }
    }

    private func isDeclaration(at index: Int) -> Bool {
        word(at: index - 1) == "let" || word(at: index - 1) == "var"
    }

    /// Whether a type is that of a parameter: nothing is called on it.
    private func isParameter(_ type: Int) -> Bool {
        guard tokens[type].text.utf8.first.map({ $0 < 97 }) == true else { return false }
        return [",", ")", "=", "?", "!"].contains { isSign($0, at: type + 1) }
    }

    /// `Type *name`, `(Type *)name`, `id<Protocol> name`.
    private mutating func readObjectiveCVariable(at index: Int) {
        let text = tokens[index].text
        guard text.utf8.first.map({ $0 < 97 }) == true else { return }
        var next = index + 1
        if isSign(">", at: next), isSign("<", at: index - 1), word(at: index - 2) == "id" {
            next += 1
        } else {
            guard isSign("*", at: next) else { return }
            while isSign("*", at: next) { next += 1 }
        }
        if isSign(")", at: next) { next += 1 }
        while let keyword = word(at: next), ["const", "_Nullable", "_Nonnull", "__weak", "__strong"].contains(keyword) {
            next += 1
        }
        guard let name = word(at: next) else { return }
        variables.declare(name, vendor(ofType: text).map { (text, $0) }, at: index)
    }
}
