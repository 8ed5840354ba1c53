extension FileScanner {
    /// A call on a receiver of no vendor's type, as far as the file shows.
    mutating func readUnknownMember(at index: Int) {
        guard isSign("(", at: index + 1), let end = brackets[index + 1] else { return }
        let name = MemberName(base: tokens[index].text, labels: labels(from: index + 1, to: end))
        addSelector(name, name.text, of: otherType(before: index), at: index)
    }

    /// The type of the variable before `.name`, if its declaration shows it.
    private func otherType(before name: Int) -> String? {
        let hasSign = isSign("?", at: name - 2) || isSign("!", at: name - 2)
        let index = name - (hasSign ? 3 : 2)
        guard let variable = word(at: index), !isSign(".", at: index - 1) || ownerSelf(of: index) != nil else {
            return nil
        }
        return variables.otherType(of: variable, at: index)
    }

    /// Adds a call that is found by its selector alone.
    /// - Parameter type: The receiver's type, of which the catalogue knows nothing.
    mutating func addSelector(_ name: MemberName, _ text: String, of type: String?, at index: Int) {
        let flat = name.flat
        guard let known = catalogue.selectors[flat], let vendor = known.vendor else { return }
        let found = member(name, of: known.type, vendor: vendor)
        let isUnique =
            flat.utf8.count >= 20 && (name.labels ?? []).contains { $0 != "_" } && !known.isSystem
            && found.map { hasLabels(of: name, $0) } ?? true
        let isUsed = result.vendors.contains(vendor) || imported.contains(vendor)
        guard isUnique || isUsed && !known.isNote else { return }
        let verdict =
            isUnique
            ? found?.verdict ?? .works
            : .ambiguous(text: "the file does not show the receiver's type; \(known.type) has such a member")
        // A unique one shows a type of the vendor that the catalogue does not have.
        let origin = Finding.Origin.selector(name, receiver: isUnique ? nil : type)
        add(text, verdict, vendor: vendor, at: index, origin, spelling: found?.spelling)
    }

    /// Whether a member with the flat name of a call has its labels too.
    private func hasLabels(of name: MemberName, _ found: VendorCatalogue.Found) -> Bool {
        guard !found.isUnknown, !found.hasOtherLabels else { return false }
        guard language == .objectiveC, let spelling = found.spelling else { return true }
        return MemberName(spelling[...]).labels?.count == name.labels?.count
    }
}
