extension FileScanner {
    /// Keeps the bodies around a word that is read.
    mutating func enterBodies(at index: Int) {
        while nextBody < bodies.count, bodies[nextBody].range.lowerBound <= index {
            openBodies.append(bodies[nextBody])
            nextBody += 1
        }
        while let last = openBodies.last, last.range.upperBound <= index { openBodies.removeLast() }
    }

    /// A member that the app's class overrides, which must be open in the vendor's class.
    mutating func readOverride(at index: Int) -> Bool {
        let isInitializer = tokens[index].text == "init"
        let keyword = isInitializer ? index : index - 1
        guard let superclass = openBodies.last?.superclass,
            isInitializer || ["func", "var"].contains(word(at: keyword)), isOverride(keyword)
        else { return false }
        var open = afterGenerics(index + 1)
        if isInitializer, isSign("?", at: open) || isSign("!", at: open) { open += 1 }
        let end = brackets[open]
        var name = MemberName(base: tokens[index].text)
        if word(at: keyword) != "var", let end { name.labels = labels(from: open, to: end) }
        guard var found = member(name, of: superclass.type, vendor: superclass.vendor) else { return true }
        if found.verdict == .works { found.verdict = overrideVerdict(name, of: superclass) }
        if let end { found = checked(found, name, of: superclass, from: index, to: end) }
        addMember(found, name.text, of: superclass.type, vendor: superclass.vendor, at: index, isInherited: true)
        return true
    }

    private func overrideVerdict(_ name: MemberName, of superclass: Variables.Known) -> Verdict {
        let vendor = catalogue.vendors[superclass.vendor]
        let type = vendorType(superclass.type)
        return vendor.isOverridable(name, of: type) ? .works : vendor.overrideVerdict(name, of: type)
    }

    /// A method that the app's class implements, or calls without a receiver.
    mutating func readInherited(at index: Int) -> Bool {
        guard let body = openBodies.last, let end = brackets[index + 1] else { return false }
        let name = MemberName(base: tokens[index].text, labels: labels(from: index + 1, to: end))
        let isDeclaration = word(at: index - 1) == "func"
        for known in body.supertypes {
            guard var found = member(name, of: known.type, vendor: known.vendor), !found.isUnknown,
                !found.hasOtherLabels
            else { continue }
            let vendor = catalogue.vendors[known.vendor]
            if isDeclaration, !vendor.isProtocol(known.type), found.verdict == .works {
                guard vendor.isDeclared(name, of: vendorType(known.type)) else { continue }
                found.verdict = overrideVerdict(name, of: known)
            }
            addMember(
                checked(found, name, of: known, from: index, to: end), name.text, of: known.type,
                vendor: known.vendor, at: index)
            return true
        }
        return isDeclaration && readInheritedRequirement(name, from: index, to: end)
    }

    /// A method of a protocol that a superclass of the app conforms to: it is called as an override only.
    private mutating func readInheritedRequirement(_ name: MemberName, from index: Int, to end: Int) -> Bool {
        for known in openBodies.last?.inherited ?? [] {
            guard var found = member(name, of: known.type, vendor: known.vendor), !found.isUnknown,
                !found.hasOtherLabels
            else { continue }
            if isOverride(index - 1) {
                found = checked(found, name, of: known, from: index, to: end)
            } else if found.verdict == .works {
                found.verdict = .otherwise(
                    link: VendorCatalogue.subclassesLink,
                    text: "not called: only an override of a method of the class that conforms is")
            }
            addMember(found, name.text, of: known.type, vendor: known.vendor, at: index)
            return true
        }
        return false
    }

    /// `super.member` in the app's class.
    mutating func readSuper(at index: Int) {
        guard language == .swift, let superclass = openBodies.last?.superclass, isSign(".", at: index + 1),
            let base = word(at: index + 2)
        else { return }
        isRead[index + 2] = true
        var name = MemberName(base: base)
        if isSign("(", at: index + 3), let end = brackets[index + 3] { name.labels = labels(from: index + 3, to: end) }
        let found = member(name, of: superclass.type, vendor: superclass.vendor)
        addMember(found, name.text, of: superclass.type, vendor: superclass.vendor, at: index + 2, isInherited: true)
    }
}
