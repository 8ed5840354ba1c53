public import Foundation
import HTTPMessages

/// A form as `application/x-www-form-urlencoded` (WHATWG URL, section 5).
///
/// ```swift
/// let login = Form(["user": "ann", "remember": "yes"])
/// data.body = login.body
/// ```
public struct Form: Hashable, Sendable {
    /// The fields, in order.
    public var items: Query

    /// A form of the given fields.
    public init(_ items: Query) { self.items = items }

    /// Reads a form; nothing is refused, see ``Query/init(parsing:as:)``.
    public init(parsing data: Data) { items = Query(parsing: Array(data), as: .form) }

    /// The form's bytes.
    public var data: Data { Data(items.bytes(as: .form)) }

    /// The bytes with their media type.
    public var body: RequestBody { RequestBody(.bytes(data), mediaType: .form) }
}
