import HTTPMessages

/// The query options of OData that the service has. Other parameters, such as `sap-language`, are ignored.
struct QueryOptions {
    var top: Int?
    var skip = 0

    /// - Throws: 400 for an invalid value, 501 for another option of OData.
    init(_ request: HTTPRequest) throws(SAPService.Failure) {
        for pair in request.queryString.split(separator: "&") {
            let name = String(pair.prefix { $0 != "=" }.replacing("%24", with: "$"))
            guard name.hasPrefix("$") else { continue }
            let value = request.parameters[name]
            switch name {
            case "$top": top = try Self.number(value, of: name)
            case "$skip": skip = try Self.number(value, of: name)
            case "$format":
                guard ["json", "atom", "xml"].contains(value) else {
                    throw .badRequest("The value of $format is invalid; use json or atom")
                }
            default:
                throw SAPService.Failure(
                    status: HTTPStatus(501) ?? .badRequest, code: "NOT_IMPLEMENTED",
                    message: "The query option \(name) is not emulated")
            }
        }
    }

    private static func number(_ value: String?, of name: String) throws(SAPService.Failure) -> Int {
        guard let value, let number = Int(value), number >= 0 else {
            throw .badRequest("The value of \(name) is not a number from 0")
        }
        return number
    }
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
struct ETagList {
    private let tags: [Substring]

    init(_ field: String) { tags = field.split(separator: ",") }

    /// Whether the list has `*` or the tag. The comparison is weak, since OData's tags are.
    func matches(_ etag: String) -> Bool {
        tags.map { $0.trimmingPrefix(while: \.isWhitespace) }.map { $0.prefix { !$0.isWhitespace } }.contains { tag in
            tag == "*" || Self.opaque(tag) == Self.opaque(etag[...])
        }
    }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}
