public import Foundation
import HTTPMessages

/// Form encoded as `application/x-www-form-urlencoded` (WHATWG URL, section 5).
///
/// ```swift
/// let login = Form(["user": "ann", "remember": "yes"])
/// data.body = login.body
/// ```
public struct Form: Hashable, Sendable {
    /// The fields, in order.
    public var items: Query

    /// Creates a form.
    public init(_ items: Query) { self.items = items }

    /// Parses a form; accepts any input, see ``Query/init(parsing:as:)``.
    public init(parsing data: Data) { items = Query(parsing: Array(data), as: .form) }

    /// The encoded form.
    public var data: Data { Data(items.bytes(as: .form)) }

    /// The encoded form with its media type.
    public var body: RequestBody { RequestBody(.bytes(data), mediaType: .form) }
}
