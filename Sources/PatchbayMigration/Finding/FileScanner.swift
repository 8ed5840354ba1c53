/// Finds the names of the SDKs in the tokens of one file.
///
/// Types are found by name, members by the type of the receiver if the file shows it, others by a selector that one
/// vendor has.
struct FileScanner {
    let tokens: [Token]
    let brackets: Brackets
    let language: SourceLanguage
    let file: String
    let catalogue: Catalogue
    var result = FileScan()
    var variables = Variables()
    /// Vendors whose module or header the file imports.
    var imported: Set<Int> = []
    /// Modules that a Swift file imports.
    var modules: Set<String> = []
    /// Tokens that are members of a chain that was read.
    var isRead: [Bool]
    /// Members that were looked up, by type and name.
    private var known: [String: VendorCatalogue.Found?] = [:]
    /// Bodies of the app's types, in their order; none if no type inherits from one of a vendor.
    var bodies: [Body] = []
    /// Those around the word that is read, the innermost last; and the index of the first one after it.
    var openBodies: [Body] = []
    var nextBody = 0
    /// Classes of Objective-C, from their keyword to their end.
    var objectiveCBodies: [Body] = []
    /// The superclass, or the first protocol, of each class of the app.
    var superclasses: [String: String] = [:]
    /// The tokens that name them.
    var superclassTokens: Set<Int> = []
    var subclasses: [String: Subclass] = [:]

    struct Body {
        /// The name of the class.
        var type: String
        var range: Range<Int>
        var supertypes: [Variables.Known]
        /// A class of a vendor, or one of the app that inherits from it.
        var superclass: Variables.Known?
        /// Protocols that a superclass of the app conforms to.
        var inherited: [Variables.Known] = []
    }

    init(_ tokens: [Token], _ language: SourceLanguage, file: String, _ catalogue: Catalogue) {
        self.tokens = tokens
        self.language = language
        self.file = file
        self.catalogue = catalogue
        brackets = Brackets(tokens)
        isRead = Array(repeating: false, count: tokens.count)
    }

    mutating func scan() {
        readImports()
        for token in tokens where token.isWord {
            if let known = catalogue.names[token.text], known.isDistinctive { result.vendors.insert(known.vendor) }
        }
        readDeclarations()
        readVariables()
        if language == .objectiveC {
            // The first time to know the results that are assigned.
            readMessages(reports: false)
            readMessages(reports: true)
        }
        for index in tokens.indices where tokens[index].isWord { readWord(at: index) }
    }

    /// Takes imports and properties from the header of an implementation file.
    mutating func readHeader(_ bytes: [UInt8]) {
        var header = FileScanner(Lexer.read(bytes, as: .objectiveC).tokens, .objectiveC, file: "", catalogue)
        header.readImports()
        header.readDeclarations()
        header.readVariables()
        imported = header.imported
        subclasses = header.subclasses
        variables = header.variables.asOuter()
    }

    func isSign(_ character: Unicode.Scalar, at index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].isSign(character)
    }

    func word(at index: Int) -> String? {
        tokens.indices.contains(index) && tokens[index].isWord ? tokens[index].text : nil
    }

    /// The vendor of a type's name, if the name alone or an import shows it.
    func vendor(ofType name: String) -> Int? {
        guard let known = catalogue.names[name] else { return nil }
        return known.isDistinctive || imported.contains(known.vendor) ? known.vendor : nil
    }

    /// Adds a place. In Objective-C nothing works unchanged: `spelling` is what Swift calls it.
    mutating func add(
        _ name: String, _ verdict: Verdict, vendor: Int, at index: Int, _ origin: Finding.Origin,
        spelling: String? = nil
    ) {
        let known = catalogue.vendors[vendor]
        var verdict = verdict
        if language == .objectiveC {
            let file = "call it from a Swift file of the app"
            switch verdict {
            case .works:
                verdict = .otherwise(
                    link: known.objectiveCLink, text: spelling.map { "\(file), where it is \($0)" } ?? file)
            case .otherwise(_, let text) where text.hasPrefix("write "):
                verdict = .otherwise(link: known.objectiveCLink, text: "\(file), where it is \(text.dropFirst(6))")
            default: break
            }
        }
        result.findings.append(
            Finding(
                vendor: known.name, name: name, verdict: verdict, file: file, line: tokens[index].line, origin: origin))
    }

    private mutating func readWord(at index: Int) {
        guard !isRead[index] else { return }
        let text = tokens[index].text
        if !bodies.isEmpty { enterBodies(at: index) }
        let isMember = isSign(".", at: index - 1)
        if isMember, ownerSelf(of: index) == nil {
            if language == .swift { readUnknownMember(at: index) }
            return
        }
        if readOverride(at: index) || isSign("(", at: index + 1) && readInherited(at: index) { return }
        if text == "super" { readSuper(at: index) }
        if !isMember, let known = catalogue.names[text] {
            readName(text, known, at: index)
        } else if !isMember, let subclass = subclasses[text] {
            readChain(ofType: text, vendor: subclass.superclass.vendor, at: index)
        } else if let variable = variables.type(of: text, at: index) {
            if let member = variable.neverNilMember, language == .swift, isUnwrapped(before: index + 1, isChain: true) {
                addNeverNil(member, vendor: variable.vendor, at: index)
            }
            readChain(from: index, type: variable.type, vendor: variable.vendor, isType: false)
        } else if !isMember, text.utf8.first.map({ $0 < 97 }) == true {
            readUnknownName(text, at: index)
        }
    }

    private mutating func readName(_ text: String, _ known: Catalogue.Name, at index: Int) {
        if word(at: index - 1) == "class", isSign("@", at: index - 2) { return }
        // A label, or a declaration of the app.
        if !known.isDistinctive, isSign(":", at: index + 1) { return }
        let vendor = catalogue.vendors[known.vendor]
        var verdict = vendor.verdict(ofName: text) ?? .works
        if let module = verdict.module, modules.contains(module) { verdict = .works }
        if verdict == .works, superclassTokens.contains(index), !vendor.isInheritable(text) {
            verdict = .otherwise(
                link: VendorCatalogue.subclassesLink, text: "a class that cannot be inherited from: it is not open")
        }
        if self.vendor(ofType: text) != nil {
            result.vendors.insert(known.vendor)
            add(text, verdict, vendor: known.vendor, at: index, .name(text))
            readChain(ofType: text, vendor: known.vendor, at: index)
        } else if result.vendors.contains(known.vendor) {
            add(
                text, .ambiguous(text: "a name that other modules have too"), vendor: known.vendor, at: index,
                .name(text))
        }
    }

    /// A name with the vendor's prefix that the module does not have, in a file that uses the vendor.
    private mutating func readUnknownName(_ text: String, at index: Int) {
        for (vendor, known) in catalogue.vendors.enumerated() where known.hasPrefix(text) && known.name != text {
            guard result.vendors.contains(vendor) || imported.contains(vendor), !known.imports.contains(text) else {
                continue
            }
            let verdict = Verdict.missing(link: "\(known.guide)#names", text: "the module has no such name")
            add(text, verdict, vendor: vendor, at: index, .prefix(text))
        }
    }

    /// Reads what is called on a type, or on a value that is cast to it.
    private mutating func readChain(ofType type: String, vendor: Int, at index: Int) {
        // `(value as! Type).member`
        let isValue = isCast(index) && isSign(")", at: index + 1)
        readChain(from: isValue ? index + 1 : index, type: type, vendor: vendor, isType: !isValue)
    }

    /// Reads `.member(labels:)` after a type or a variable, as long as the results are types of the vendor.
    private mutating func readChain(from start: Int, type: String, vendor: Int, isType: Bool) {
        let known = catalogue.vendors[vendor]
        // Nothing is known of the members of a type that only a guide names.
        guard known.hasMembers(vendorType(type)) else { return }
        var current: String? = type
        var neverNil: String?
        var isObject = !isType
        var next = start + 1
        if isType, language == .swift, isSign("(", at: next), let end = brackets[next] {
            let name = MemberName(base: "init", labels: labels(from: next, to: end))
            next = end + 1
            let found = member(name, of: type, vendor: vendor)
            neverNil = addResult(found, name.text, of: type, vendor: vendor, at: start, before: next)
            isObject = true
        }
        while let type = current {
            while isSign("?", at: next) || isSign("!", at: next) { next += 1 }
            guard isSign(".", at: next), let base = word(at: next + 1), base != "self" else { break }
            let index = next + 1
            isRead[index] = true
            next += 2
            var name = MemberName(base: base)
            if language == .swift {
                if isSign("(", at: next), let end = brackets[next] {
                    name.labels = labels(from: next, to: end)
                    next = end + 1
                    skipClosure(&next)
                } else if isSign("{", at: next), tokens[next].line == tokens[index].line,
                    known.hasMethod(base, of: vendorType(type)), !startsBlock(at: next)
                {
                    name.labels = []
                    skipClosure(&next)
                }
            }
            let found = member(name, of: type, vendor: vendor, isObject: isObject)
            neverNil = addResult(found, name.text, of: type, vendor: vendor, at: index, before: next)
            current = found?.result
            isObject = true
        }
        let result = current.map { Variables.Known(type: $0, vendor: vendor, neverNilMember: neverNil) }
        noteAssignment(before: start, to: result, end: next)
    }

    /// A member of a type in the file's language; nil if it is not the vendor's.
    mutating func member(
        _ name: MemberName, of type: String, vendor: Int, isObject: Bool = false
    ) -> VendorCatalogue.Found? {
        if let subclass = subclasses[type] {
            guard !subclass.members.contains(name.base) else { return nil }
            var found = member(name, of: subclass.superclass.type, vendor: vendor, isObject: isObject)
            if found?.result == subclass.superclass.type { found?.result = type }
            return found
        }
        let key = "\(type)\(isObject ? "." : " ")\(name.text)"
        if let found = known[key] { return found }
        let catalogue = catalogue.vendors[vendor]
        let found =
            language == .swift
            ? catalogue.swiftMember(name, of: type, isObject: isObject)
            : catalogue.objectiveCMember(name, of: type)
        known.updateValue(found, forKey: key)
        return found
    }

    /// Adds a member that was found.
    /// - Parameter isInherited: Whether it can only be the vendor's: an override, or a call of `super`.
    mutating func addMember(
        _ found: VendorCatalogue.Found?, _ name: String, of type: String, vendor: Int, at index: Int,
        isInherited: Bool = false
    ) {
        guard let found else { return }
        result.vendors.insert(vendor)
        add(
            "\(vendorType(type)).\(name)", found.verdict, vendor: vendor, at: index,
            found.isUnknown && !isInherited ? .unknownMember(MemberName(name[...])) : .member,
            spelling: found.spelling)
    }

    private func skipClosure(_ next: inout Int) {
        if isSign("{", at: next), next > 0, tokens[next].line == tokens[next - 1].line, let end = brackets[next] {
            next = end + 1
        }
    }

    /// Argument labels between two parentheses, of a call or of a declaration with `label name:`.
    func labels(from open: Int, to close: Int) -> [String] {
        var labels: [String] = []
        var index = open + 1
        var startsArgument = true
        while index < close {
            if startsArgument {
                let hasLabel = isSign(":", at: index + 1) || word(at: index + 1) != nil && isSign(":", at: index + 2)
                labels.append(word(at: index).flatMap { hasLabel ? $0 : nil } ?? "_")
                startsArgument = false
            }
            if isSign(",", at: index) { startsArgument = true }
            // `Dictionary<String, Any>` is one argument.
            if word(at: index)?.first?.isUppercase == true {
                let after = afterGenerics(index + 1)
                if after > index + 1, after <= close, !hasLabel(from: index + 1, to: after) {
                    index = after
                    continue
                }
            }
            index = brackets[index].map { $0 > index ? $0 + 1 : index + 1 } ?? index + 1
        }
        return labels
    }

    /// Whether there is a colon outside of brackets: `a < b, label: c > d` has two comparisons.
    private func hasLabel(from start: Int, to end: Int) -> Bool {
        var index = start
        while index < end, !isSign(":", at: index) {
            index = brackets[index].map { $0 > index ? $0 + 1 : index + 1 } ?? index + 1
        }
        return index < end
    }
}
