/// List of a structured field: items, and inner lists of items in parentheses.
///
/// ```swift
/// let list = try StructuredList(parsing: "gzip;q=1, (br zstd);q=0.5")
/// list.members[0].item?.value                    // .token("gzip")
/// list.members[1].innerList?.parameters["q"]     // .decimal(0.5)
/// ```
public struct StructuredList: Hashable, Sendable {
    /// The members, in order.
    public var members: [StructuredMember]

    /// Creates a list.
    public init(_ members: [StructuredMember] = []) { self.members = members }

    /// Parses a field whose value is a list; an empty one has no members.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`).
    public init(parsing text: String) throws(HTTPMessageError) {
        var parser = StructuredParser(text)
        members = []
        try parser.members { parser throws(HTTPMessageError) in members.append(try parser.member()) }
    }

    /// The field value; empty without members, which means to omit the field.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`) for a value that cannot be written.
    public func text() throws(HTTPMessageError) -> String {
        var writer = StructuredWriter()
        for (index, member) in members.enumerated() {
            if index > 0 { writer.separate() }
            try writer.write(member)
        }
        return writer.text
    }
}

/// Items in parentheses, with parameters of their own.
public struct StructuredInnerList: Hashable, Sendable {
    /// The items, in order.
    public var items: [StructuredItem]
    /// The parameters of the list.
    public var parameters: StructuredParameters

    /// Creates a list.
    public init(_ items: [StructuredItem], parameters: StructuredParameters = [:]) {
        self.items = items
        self.parameters = parameters
    }
}

/// Member of a list or a dictionary.
public enum StructuredMember: Hashable, Sendable {
    /// A value with parameters.
    case item(StructuredItem)
    /// Items in parentheses.
    case innerList(StructuredInnerList)

    /// A value without parameters.
    public static func value(_ value: StructuredValue) -> StructuredMember { .item(StructuredItem(value)) }

    /// The item; nil for an inner list.
    public var item: StructuredItem? { if case .item(let item) = self { item } else { nil } }
    /// The inner list; nil for an item.
    public var innerList: StructuredInnerList? { if case .innerList(let list) = self { list } else { nil } }
    /// The value of the item; nil for an inner list.
    public var value: StructuredValue? { item?.value }
}
