extension FileScanner {
    /// A class of the app that inherits from one of a vendor.
    struct Subclass {
        /// A class of the vendor, or another one of the app.
        var superclass: Variables.Known
        /// Base names of the members that the app declares.
        var members: Set<String>
    }

    /// Classes that the app may have between its own and the vendor's.
    private static let maximumDepth = 32

    /// A type of a vendor, or a class of the app that inherits from one.
    func knownType(_ name: String) -> Variables.Known? {
        let vendor = vendor(ofType: name) ?? subclasses[name]?.superclass.vendor
        return vendor.map { Variables.Known(type: name, vendor: $0) }
    }

    /// The vendor's class that a class of the app inherits from; any other type itself.
    func vendorType(_ type: String) -> String {
        var type = type
        while let subclass = subclasses[type] { type = subclass.superclass.type }
        return type
    }

    /// Finds the classes of the app that inherit from one of a vendor, and what each class inherits.
    mutating func readSubclasses() {
        let supertypes = Dictionary(grouping: bodies, by: \.type).mapValues { $0.flatMap(\.supertypes) }
        for (type, superclass) in superclasses where subclasses[type] == nil && vendor(ofType: type) == nil {
            guard let vendor = vendor(ofSuperclass: superclass) else { continue }
            subclasses[type] = Subclass(superclass: .init(type: superclass, vendor: vendor), members: [])
        }
        for type in subclasses.keys {
            let members = ownMembers(of: type)
            subclasses[type]?.members.formUnion(members)
        }
        for index in bodies.indices {
            let type = bodies[index].type
            // A conformance may be in another extension of the type.
            bodies[index].supertypes = supertypes[type] ?? []
            bodies[index].inherited = inheritedProtocols(of: type, supertypes)
            guard let superclass = subclasses[type]?.superclass else { continue }
            bodies[index].superclass = superclass
            if !bodies[index].supertypes.contains(where: { $0.type == superclass.type }) {
                bodies[index].supertypes.append(superclass)
            }
        }
        if bodies.allSatisfy({ $0.supertypes.isEmpty && $0.inherited.isEmpty }) { bodies = [] }
    }

    /// The vendor of a class that the file's classes lead to.
    private func vendor(ofSuperclass name: String) -> Int? {
        var name = name
        for _ in 0..<Self.maximumDepth {
            if let known = knownType(name) {
                return catalogue.vendors[known.vendor].isProtocol(name) ? nil : known.vendor
            }
            guard let next = superclasses[name] else { return nil }
            name = next
        }
        return nil
    }

    /// Protocols of vendors that the app's superclasses of a class conform to.
    private func inheritedProtocols(
        of type: String, _ supertypes: [String: [Variables.Known]]
    ) -> [Variables.Known] {
        var found: [Variables.Known] = []
        var name = type
        for _ in 0..<Self.maximumDepth {
            guard let next = superclasses[name], vendor(ofType: next) == nil else { break }
            found += (supertypes[next] ?? []).filter { catalogue.vendors[$0.vendor].isProtocol($0.type) }
            name = next
        }
        return found
    }

    /// Members that the file declares in a class, without overrides.
    private func ownMembers(of type: String) -> Set<String> {
        var names: Set<String> = []
        for body in bodies where body.type == type {
            for index in body.range where brackets.endOfBlock(around: index) == body.range.upperBound {
                guard let keyword = word(at: index), !isOverride(index) else { continue }
                if ["func", "var", "let"].contains(keyword), let name = word(at: index + 1) { names.insert(name) }
                if keyword == "init" { names.insert(keyword) }
            }
        }
        for body in objectiveCBodies where body.type == type {
            for index in body.range {
                if isMethod(at: index), let end = brackets[index + 1], let name = word(at: end + 1) {
                    names.insert(name)
                }
                guard word(at: index) == "property", isSign("@", at: index - 1) else { continue }
                // The name is one of the words: that of a block is not the last one.
                var next = index + 1
                while next < body.range.upperBound, !isSign(";", at: next) {
                    if let name = word(at: next) {
                        names.formUnion([name, "set\(name.prefix(1).uppercased())\(name.dropFirst())"])
                    }
                    next += 1
                }
            }
        }
        return names
    }

    /// Whether a method of Objective-C begins at a token.
    func isMethod(at index: Int) -> Bool {
        tokens[index].startsLine && (isSign("-", at: index) || isSign("+", at: index)) && isSign("(", at: index + 1)
    }

    /// Whether a declaration whose keyword is at a token is an override.
    func isOverride(_ keyword: Int) -> Bool {
        (keyword - 3..<keyword).contains { word(at: $0) == "override" }
    }

    /// `@interface Name : Superclass`, and the range of a class to its `@end`.
    mutating func readObjectiveCClass(at index: Int) {
        guard let keyword = word(at: index), keyword == "interface" || keyword == "implementation",
            isSign("@", at: index - 1), let name = word(at: index + 1)
        else { return }
        if keyword == "interface", isSign(":", at: index + 2), let superclass = word(at: index + 3) {
            superclasses[name] = superclass
        }
        var end = index + 2
        while end < tokens.count,
            !(isSign("@", at: end) && ["end", "interface", "implementation"].contains(word(at: end + 1)))
        { end += 1 }
        objectiveCBodies.append(Body(type: name, range: index..<end, supertypes: []))
    }

    /// The class of the app around a token of Objective-C, if it inherits from one of a vendor.
    func objectiveCClass(around index: Int) -> Variables.Known? {
        objectiveCBodies.last { $0.range.contains(index) }.flatMap { knownType($0.type) }
    }
}
