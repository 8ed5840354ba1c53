extension VendorCatalogue {
    /// The section that says what replaces a subclass.
    static let subclassesLink = "Documentation/Migrating.md#subclasses"

    /// The type that a name is another name of, or the name itself.
    func target(of name: String) -> String {
        lineage(of: name).first { entries[$0]?.isAlias != true } ?? name
    }

    func isProtocol(_ name: String) -> Bool { protocols.contains(target(of: name)) }

    /// Whether a class of the app can inherit from a type, or conform to it.
    func isInheritable(_ name: String) -> Bool {
        let type = target(of: name)
        return protocols.contains(type) || openMembers[type] != nil || !hasMembers(type)
    }

    /// Whether a class of the app can override a member: the nearest class that declares it must do so as open.
    func isOverridable(_ name: MemberName, of type: String) -> Bool {
        let owner = lineage(of: type).first { owner in
            !protocols.contains(owner) && entries[owner]?.members[name.base]?.contains { $0.name == name } == true
        }
        return owner.map { openMembers[$0]?.contains(name.text) == true } ?? false
    }

    /// Whether a method that an app's class declares has the name of one of its superclass, or of a property.
    func isDeclared(_ name: MemberName, of type: String) -> Bool {
        lineage(of: type).contains { owner in
            entries[owner]?.members[name.base]?.contains { $0.name == name || $0.name.labels == nil } == true
        }
    }

    /// The verdict about an override of a member that is not open.
    ///
    /// It names the open ones of the same base name.
    func overrideVerdict(_ name: MemberName, of type: String) -> Verdict {
        let others = lineage(of: type).lazy
            .map { (openMembers[$0] ?? []).filter { MemberName($0[...]).base == name.base }.sorted() }
            .first { !$0.isEmpty }
        let isProperty = name.labels != nil && hasProperty(name.base, lineage(of: type))
        let text =
            if isProperty {
                "a property: set \(name.base) instead of overriding it"
            } else if let others {
                "cannot be overridden: override \(others.joined(separator: " or "))"
            } else {
                "cannot be overridden: it is not open"
            }
        return .otherwise(link: Self.subclassesLink, text: text)
    }
}
