import Foundation
public import HTTPMessages
import RequestModel

/// How the request of the next page follows from a page.
///
/// A rule is a pure function: it gets a page and the request that it came from, and returns the next request, or nil
/// after the last page.
///
/// ```swift
/// let next = NextPage<Orders> { page, request in try page.value.after.map { try request.settingQuery("after", $0) } }
/// ```
public struct NextPage<Page: Sendable>: Sendable {
    private let prepare: @Sendable (HTTPRequest) throws -> HTTPRequest
    private let rule: @Sendable (Response<Page>, HTTPRequest) throws -> HTTPRequest?
    /// The query parameter of the cursor; nil for other rules.
    private(set) var cursorParameter: String?

    /// Creates a rule.
    /// - Parameter first: changes the request of the first page; default not at all.
    public init(
        first: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest = { $0 },
        _ rule: @escaping @Sendable (Response<Page>, HTTPRequest) throws -> HTTPRequest?
    ) {
        prepare = first
        self.rule = rule
    }

    /// The request of the first page.
    func first(_ request: HTTPRequest) throws -> HTTPRequest { try prepare(request) }

    /// The request of the next page; nil after the last one.
    func request(after page: Response<Page>, _ request: HTTPRequest) throws -> HTTPRequest? { try rule(page, request) }

    /// The target of the `Link` field with the relation `next` (RFC 8288), as GitHub sends it.
    ///
    /// A link to the host of a `HostList` that has sent the page is one to the host of the request, with the same path.
    public static var link: NextPage {
        NextPage { page, request in
            guard page.fields.contains(.link), let next = try LinkField(page.fields)["next"] else { return nil }
            var changed = request
            try changed.setURL(page.head.atHome(next.url(relativeTo: page.url), of: request.url))
            return changed
        }
    }

    /// A cursor in the page, a text or a number, sent as a query parameter; nil or empty after the last page.
    public static func cursor<Cursor: LosslessStringConvertible & Sendable>(
        _ cursor: any KeyPath<Page, Cursor?> & Sendable, parameter: String = "cursor"
    ) -> NextPage {
        var next = NextPage { page, request in
            guard let value = page.value[keyPath: cursor]?.description, !value.isEmpty else { return nil }
            return try request.settingQuery(parameter, value)
        }
        next.cursorParameter = parameter
        return next
    }

    /// A page number that grows by one, for pages that are objects.
    /// - Parameters:
    ///   - first: the number of the first page.
    ///   - isLast: whether a page is the last one; it is read too.
    public static func pageNumber(
        parameter: String = "page", first: Int = 1, isLast: @escaping @Sendable (Page) -> Bool
    ) -> NextPage {
        NextPage(first: { try $0.settingQuery(parameter, "\(first)") }) { page, request in
            guard !isLast(page.value) else { return nil }
            let number = request.queryValue(parameter).flatMap { Int($0) } ?? first
            return try request.settingQuery(parameter, "\(number + 1)")
        }
    }

    /// A page number that grows by one; the last page is empty.
    /// - Parameter first: the number of the first page.
    public static func pageNumber(parameter: String = "page", first: Int = 1) -> NextPage where Page: Collection {
        pageNumber(parameter: parameter, first: first, isLast: \.isEmpty)
    }

    /// An offset that grows by the length of each page; the last page has less than `limit` elements.
    public static func offset(
        limit: Int, parameter: String = "offset", limitParameter: String = "limit"
    ) -> NextPage where Page: Collection {
        NextPage(first: {
            try $0.settingQuery(limitParameter, "\(limit)")
        }) { page, request in
            guard page.value.count >= limit, !page.value.isEmpty else { return nil }
            let offset = request.queryValue(parameter).flatMap { Int($0) } ?? 0
            return try request.settingQuery(parameter, "\(offset + page.value.count)")
        }
    }
}

extension HTTPRequest {
    /// The value of a parameter of the URL's query; nil without one.
    public func queryValue(_ name: String) -> String? {
        Query(parsing: URLReference(url.absoluteString[...]).query ?? "")[name]
    }

    /// True if the URLs differ in their queries only: the page before has named a parameter, and not the URL.
    func keepsURL(of other: HTTPRequest) -> Bool { urlWithoutQuery == other.urlWithoutQuery }

    private var urlWithoutQuery: String {
        var parts = URLReference(url.absoluteString[...])
        (parts.query, parts.fragment) = (nil, nil)
        return parts.text
    }

    /// A copy in whose URL a query parameter is replaced or added. The others stay as they are written.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public func settingQuery(_ name: String, _ value: String) throws(HTTPMessageError) -> HTTPRequest {
        var parts = URLReference(url.absoluteString[...])
        var items =
            parts.query.map { $0.isEmpty ? [] : $0.split(separator: "&", omittingEmptySubsequences: false) } ?? []
        let isNamed = { (item: Substring) in Query(parsing: item).contains(name) }
        let index = items.firstIndex(where: isNamed) ?? items.endIndex
        items.removeAll(where: isNamed)
        items.insert(Query([Query.Item(name, value)]).text()[...], at: index)
        parts.query = items.joined(separator: "&")[...]
        var changed = self
        try changed.setURL(parts.text)
        return changed
    }
}
