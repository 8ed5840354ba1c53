extension VendorCatalogue {
    /// What is known of a member of a type.
    struct Found {
        var verdict: Verdict
        /// The type of the result, if it is a name of the catalogue.
        var result: String?
        /// Whether the catalogue does not have the member at all.
        var isUnknown = false
        /// Whether only methods with other labels have the name.
        var hasOtherLabels = false
        /// What Swift calls it, if the caller has another spelling.
        var spelling: String?
        /// Whether the result is not an optional, so that `?` and `!` after it are errors.
        var isNeverNil = false
    }

    /// Whether anything is known of the members of a name: it is a type of the module.
    func hasMembers(_ name: String) -> Bool {
        lineage(of: name).contains { entries[$0]?.members.isEmpty == false }
    }

    /// Whether a type has a method of this name.
    func hasMethod(_ base: String, of type: String) -> Bool {
        lineage(of: type).contains { entries[$0]?.members[base]?.contains { $0.name.labels != nil } == true }
    }

    /// Members that every object has; they are not the vendor's.
    static let common: Set<String> = [
        "alloc", "new", "self", "class", "superclass", "init", "dealloc", "retain", "release", "autorelease", "copy",
        "mutableCopy", "description", "debugDescription", "hash", "isEqual", "isKindOfClass", "isMemberOfClass",
        "isKind",
        "respondsToSelector", "responds", "conformsToProtocol", "conforms", "performSelector", "perform", "Type",
        "Protocol",
        "hashValue", "map", "flatMap", "forKey", "valueForKey", "setValue", "value", "addObserver", "removeObserver",
        "rawValue", "count", "load", "retainCount", "objectForKey", "objectForKeyedSubscript", "objectAtIndex",
        "addObject",
        "removeObject", "removeAllObjects", "allKeys", "allValues", "setObject", "length", "isEqualToString",
        "intValue",
        "integerValue", "stringValue", "boolValue", "string", "isEmpty", "localizedDescription", "domain", "first",
        "last", "keys", "values", "append",
    ]

    /// The verdict about a name at the top level, if it is one of the vendor's.
    func verdict(ofName name: String) -> Verdict? {
        notes[name] ?? (entries[name] == nil ? nil : .works)
    }

    /// A member as Swift calls it; nil if it is not the vendor's.
    /// - Parameter isObject: Whether it is called on an object, which has no members of its type.
    func swiftMember(_ name: MemberName, of type: String, isObject: Bool = false) -> Found? {
        let lineage = lineage(of: type)
        let named = lineage.flatMap { entries[$0]?.members[name.base] ?? [] }
        let callable = named.filter { $0.takes(name) }
        let matching = callable.filter { name.labels == nil || $0.isCallable }
        let matches = !matching.isEmpty
        let result = callable.lazy.compactMap { resultType(of: $0, type) }.first
        for owner in lineage + [""] {
            if !matches, let note = exactNotes["\(owner).\(name.text)"] ?? note(on: name, of: owner) {
                return Found(verdict: note, result: resultType(of: note, lineage))
            }
            if matches, let note = notes["\(owner).\(name.flat)"] ?? notes["\(owner).\(name.base.lowercased())"] {
                return Found(verdict: note, result: result)
            }
        }
        if matches, isObject, matching.allSatisfy(\.isStatic) {
            return Found(verdict: otherwise("a member of the type: write \(type).\(name.base)"), result: result)
        }
        if matches {
            return Found(verdict: .works, result: result, isNeverNil: matching.allSatisfy { !$0.isOptional })
        }
        if !callable.isEmpty {
            return Found(verdict: otherwise("a property: write \(name.base), without parentheses"), result: result)
        }
        if !named.isEmpty {
            return Found(verdict: otherwise("no overload of \(name.base) has these labels"), hasOtherLabels: true)
        }
        if let note = lineage.lazy.compactMap({ noteOnOtherLabels(name.base, of: $0) }).first {
            return Found(verdict: note, result: resultType(of: note, lineage))
        }
        if let property = name.setProperty, hasProperty(property, lineage) {
            return Found(verdict: otherwise("a property: write \(property) = ..."))
        }
        if let member = member(spelled: name, lineage) {
            return Found(verdict: otherwise("write \(member.name.text)"), result: resultType(of: member, type))
        }
        if Self.common.contains(name.base) { return nil }
        return unknown(name.base, of: type)
    }

    /// The method that old Swift wrote as Objective-C does: `wlConnectWithDelegate(_:)` is `wlConnect(withDelegate:)`.
    private func member(spelled name: MemberName, _ lineage: [String]) -> Member? {
        guard name.labels != nil else { return nil }
        let flat = name.flat
        let same = lineage.compactMap { entries[$0]?.members }.joined().flatMap(\.value)
            .filter { Catalogue.spellings(of: $0.name).contains(flat) }
        // The same one each time; of those that a trailing closure leaves open, one with a closure.
        if let member = same.max(by: { $0.name.text < $1.name.text }) { return member }
        return longest(of: name, lineage).flatMap { $0.hasLabels ? $0.method : nil }
    }

    /// A note whose labels the call may leave out, such as that of a trailing closure.
    private func note(on name: MemberName, of owner: String) -> Verdict? {
        if let note = notes["\(owner).\(name.flat)"] { return note }
        guard entries[owner]?.members[name.base] == nil else { return nil }
        let start = "\(owner).\(name.base)"
        let keys = exactNotes.keys.filter { key in
            guard key.hasPrefix(start) else { return false }
            let other = MemberName(key.dropFirst(owner.count + 1))
            return other.base == name.base && name.canCall(other)
        }
        return keys.min().flatMap { exactNotes[$0] }
    }

    /// A note about a method of this name with any labels.
    private func noteOnOtherLabels(_ base: String, of owner: String) -> Verdict? {
        exactNotes.keys.filter { $0.hasPrefix("\(owner).\(base)(") }.min().flatMap { exactNotes[$0] }
    }

    func hasProperty(_ name: String, _ lineage: [String]) -> Bool {
        lineage.contains { entries[$0]?.members[name]?.contains { $0.name.labels == nil } == true }
    }

    private func otherwise(_ text: String) -> Verdict { .otherwise(link: "\(guide)#names", text: text) }

    /// A member as Objective-C calls it, by its selector or the name of a property; nil if it is not the vendor's.
    func objectiveCMember(_ selector: MemberName, of type: String) -> Found? {
        let lineage = lineage(of: type)
        let flat = selector.flat
        for owner in lineage + [""] {
            if let note = notes["\(owner).\(flat)"] { return Found(verdict: note) }
        }
        var callable: Member?
        for owner in lineage {
            for (base, members) in entries[owner]?.members ?? [:] {
                let same = members.filter { $0.flat == flat }
                // `sendWithCompletionHandler:` is `send(completionHandler:)`, not `send(_:completionHandler:)`.
                if let member = same.first(where: { $0.name.labels?.count == selector.labels?.count }) ?? same.first {
                    return Found(verdict: .works, result: resultType(of: member, type), spelling: member.name.text)
                }
                // Other parameters have defaults.
                if base == selector.base, selector.labels != nil {
                    callable = callable ?? members.first { $0.name.labels != nil && selector.canCall($0.name) }
                }
            }
            if let note = flatNotes["\(owner).\(flat)"] {
                return Found(verdict: note, result: resultType(of: note, lineage))
            }
        }
        if let callable {
            return Found(verdict: .works, result: resultType(of: callable, type), spelling: callable.name.text)
        }
        if selector.isInitializer(of: type) {
            return Found(verdict: .works, result: type, spelling: "an initializer")
        }
        if let property = selector.setProperty, lineage.contains(where: { entries[$0]?.members[property] != nil }) {
            return Found(verdict: .works, spelling: "the property \(property)")
        }
        let longest = longest(of: selector, lineage)
        if let longest, longest.hasLabels {
            return Found(
                verdict: .works, result: resultType(of: longest.method, type), spelling: longest.method.name.text)
        }
        if let note = lineage.lazy.compactMap({ noteOnOtherLabels(selector.base, of: $0) }).first {
            return Found(verdict: note, result: resultType(of: note, lineage))
        }
        if let method = longest?.method {
            return Found(verdict: .works, result: resultType(of: method, type), spelling: method.name.base)
        }
        if Self.common.contains(selector.base) { return nil }
        return unknown(selector.base, of: type)
    }

    /// The method with the longest name that a selector begins with: `isAuthorizationRequiredForResponse:` is
    /// `isAuthorizationRequired(for:)`.
    private func longest(of selector: MemberName, _ lineage: [String]) -> (method: Member, hasLabels: Bool)? {
        var longest: (method: Member, hasLabels: Bool)?
        for (base, members) in lineage.compactMap({ entries[$0]?.members }).joined() {
            guard let rest = selector.rest(after: base), base.count > longest?.method.name.base.count ?? 0 else {
                continue
            }
            let methods = members.filter { $0.name.labels?.isEmpty == false }
            let same = methods.filter { selector.hasLabels(of: $0.name, rest) }
            // `withBody` before `with`.
            let method = same.max { $0.firstLabel.count < $1.firstLabel.count } ?? methods.first
            if let method { longest = (method: method, hasLabels: !same.isEmpty) }
        }
        return longest
    }

    private func resultType(of member: Member, _ type: String) -> String? {
        member.result == "Self" ? type : member.result
    }

    /// The type of the member that a note names instead.
    private func resultType(of note: Verdict, _ lineage: [String]) -> String? {
        guard case .otherwise(_, let text) = note, text.hasPrefix("write "), let type = lineage.first else {
            return nil
        }
        let name = MemberName(text.dropFirst(6))
        let members = lineage.lazy.flatMap { entries[$0]?.members[name.base] ?? [] }
        return members.first { $0.name == name }.flatMap { resultType(of: $0, type) }
    }

    private func unknown(_ base: String, of type: String) -> Found {
        let text = "\(type) has no member \(base) in the module"
        return Found(verdict: .missing(link: "\(guide)#names", text: text), isUnknown: true)
    }
}

extension MemberName {
    /// The rest of a selector after this base name, from a preposition on, which Swift makes a label.
    func rest(after base: String) -> Substring? {
        guard labels != nil, base.count > 2, self.base.hasPrefix(base) else { return nil }
        let rest = self.base.dropFirst(base.count)
        let isWord = ["For", "With", "From", "By", "At", "To", "Of", "In", "On"].contains { word in
            rest.hasPrefix(word) && rest.dropFirst(word.count).first?.isUppercase != false
        }
        return isWord ? rest : nil
    }

    /// Whether a method has the labels of a selector, whose first one may be without the name of a type: `with` is the
    /// label of `sendWithDelegate:`.
    func hasLabels(of method: MemberName, _ rest: Substring) -> Bool {
        guard let labels, let first = method.labels?.first, first != "_",
            rest.lowercased().hasPrefix(first.lowercased()), rest.dropFirst(first.count).first?.isUppercase != false
        else { return false }
        return MemberName(base: base, labels: [first] + labels.dropFirst()).canCall(method)
    }

    /// Whether a selector is an initializer, or a factory method such as `requestWithURL:` of `WLResourceRequest`.
    func isInitializer(of type: String) -> Bool {
        guard labels != nil else { return false }
        if base.hasPrefix("initWith") { return true }
        guard let with = base.firstRange(of: "With") else { return false }
        return with.lowerBound > base.startIndex && type.lowercased().hasSuffix(base[..<with.lowerBound].lowercased())
    }

    /// The property that a selector `setName:` sets.
    var setProperty: String? {
        guard labels?.count == 1, base.hasPrefix("set"), let first = base.dropFirst(3).first, first.isUppercase else {
            return nil
        }
        return first.lowercased() + base.dropFirst(4)
    }

    /// The selector as Objective-C writes it.
    var selector: String {
        guard let labels else { return base }
        return base + ":" + labels.dropFirst().map { "\($0):" }.joined()
    }
}
