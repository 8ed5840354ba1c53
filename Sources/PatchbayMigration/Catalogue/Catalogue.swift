/// The names of all vendors.
package struct Catalogue: Sendable {
    /// A name at the top level that one of the vendors has.
    struct Name: Sendable {
        var vendor: Int
        /// Whether the name alone shows that it is the vendor's: by its prefix, or because it is long.
        var isDistinctive: Bool
    }

    /// A method or property that at least one vendor has.
    struct Selector: Sendable {
        /// The only vendor that has it; nil if several have.
        var vendor: Int?
        var type: String
        /// Whether the system's classes have such a method too.
        var isSystem = false
        /// Whether the vendor's module does not have it, and a note says what to do.
        var isNote = false
    }

    let vendors: [VendorCatalogue]
    let names: [String: Name]
    /// By the flat name of a member with labels.
    let selectors: [String: Selector]

    /// The catalogue of the package's five facades.
    package static let standard = Catalogue(CatalogueText.all)

    /// Reads texts in the format of `CatalogueText`.
    package init(_ texts: [String]) {
        let vendors = texts.map(VendorCatalogue.init)
        var names: [String: Name] = [:]
        var selectors: [String: Selector] = [:]
        for (index, vendor) in vendors.enumerated() {
            let noted = vendor.notes.keys.filter { !$0.contains(".") && !$0.isEmpty }
            let known = vendor.entries.filter(\.value.isTopLevel).keys
            for name in Array(known) + noted where names[name] == nil {
                let isLong = name.wordCount > 2 && !name.isConstant
                names[name] = Name(vendor: index, isDistinctive: vendor.hasPrefix(name) || isLong)
            }
            for (type, entry) in vendor.entries {
                for member in entry.members.values.joined() {
                    for flat in Self.spellings(of: member.name) {
                        if let known = selectors[flat] {
                            if known.vendor != index { selectors[flat]?.vendor = nil }
                            // The same type each time: dictionaries have no order.
                            if known.vendor == index, type < known.type { selectors[flat]?.type = type }
                        } else {
                            selectors[flat] = Selector(
                                vendor: index, type: type, isSystem: Self.systemSelectors.contains(flat))
                        }
                    }
                }
            }
        }
        for (index, vendor) in vendors.enumerated() {
            for (type, names) in vendor.notedMethods.sorted(by: { $0.key < $1.key }) {
                for flat in names.flatMap(Self.spellings) where !Self.systemSelectors.contains(flat) {
                    if selectors[flat] == nil {
                        selectors[flat] = Selector(vendor: index, type: type, isNote: true)
                    } else if selectors[flat]?.isNote == true, selectors[flat]?.vendor != index {
                        selectors[flat]?.vendor = nil
                    }
                }
            }
        }
        for shared in Self.projectNames { names[shared] = nil }
        self.vendors = vendors
        self.names = names
        self.selectors = selectors
    }

    /// The flat names of a method with labels, as it is written with and without a trailing closure.
    static func spellings(of name: MemberName) -> [String] {
        guard name.base != "init", let labels = name.labels, let last = labels.last else { return [] }
        let isClosure = last.hasSuffix("andler") || last.hasSuffix("ompletion")
        var short = name
        short.labels = Array(labels.dropLast())
        return isClosure && labels.count > 1 ? [name.flat, short.flat] : [name.flat]
    }

    /// Flat names of methods of the system that a vendor's classes inherit or have too.
    private static let systemSelectors = Set(
        [
            "beginBackgroundTask(expirationHandler:)", "addOperations(_:waitUntilFinished:)",
            "setValue(_:forHTTPHeaderField:)", "addValue(_:forHTTPHeaderField:)",
        ].map { MemberName($0[...]).flat })

    /// Names of the package that are in the API lists of facades and that no vendor had.
    private static let projectNames = [
        "HTTPAgent", "ServerAgent", "HTTPManager", "HyperHive",
    ]
}

extension String {
    /// Whether a name is in capitals, as constants of many libraries are.
    fileprivate var isConstant: Bool { !utf8.contains { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") } }

    /// Words of a name in camel case or with underscores; a run of capitals counts as one.
    fileprivate var wordCount: Int {
        var count = 0
        var isInside = false
        for byte in utf8 {
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if isCapital, !isInside { count += 1 }
            isInside = isCapital
        }
        return count + utf8.count { $0 == UInt8(ascii: "_") }
    }
}
