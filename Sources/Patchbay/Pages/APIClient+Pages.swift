import HTTPMessages
public import RequestModel

extension APIClient {
    /// The pages of a list.
    /// - Parameters:
    ///   - type: the type of a page, such as `[Issue].self`.
    ///   - next: how the next request follows from a page: `.link`, `.cursor(\.next)`, `.pageNumber()`,
    ///     `.offset(limit: 100)`.
    ///   - limits: of pages and origins.
    public func pages<Page: Decodable & Sendable>(
        _ path: RequestPath, of type: Page.Type, query: Query = [:], fields: HTTPFields = [:],
        next: NextPage<Page>, limits: PageLimits = PageLimits()
    ) -> Pages<Page> {
        Pages(client: self, endpoint: .get(path, query: query, fields: fields), next: next, limits: limits)
    }

    /// The elements of a list whose pages are JSON arrays.
    ///
    /// ```swift
    /// for try await issue in github.items("repos/\(id)/issues", of: Issue.self, next: .link) { show(issue) }
    /// ```
    public func items<Element: Decodable & Sendable>(
        _ path: RequestPath, of type: Element.Type, query: Query = [:], fields: HTTPFields = [:],
        next: NextPage<[Element]>, limits: PageLimits = PageLimits()
    ) -> Items<[Element], Element> {
        Items(pages: pages(path, of: [Element].self, query: query, fields: fields, next: next, limits: limits)) { $0 }
    }

    /// The elements of a list whose pages are objects.
    ///
    /// ```swift
    /// let orders = client.items("orders", in: \OrderPage.orders, next: .cursor(\.after))
    /// ```
    /// - Parameter elements: where the elements are in a page.
    public func items<Page: Decodable & Sendable, Element: Sendable>(
        _ path: RequestPath, in elements: any KeyPath<Page, [Element]> & Sendable, query: Query = [:],
        fields: HTTPFields = [:], next: NextPage<Page>, limits: PageLimits = PageLimits()
    ) -> Items<Page, Element> {
        Items(pages: pages(path, of: Page.self, query: query, fields: fields, next: next, limits: limits)) {
            $0[keyPath: elements]
        }
    }

    func pageRequest<Page>(for endpoint: EndpointRequest<Page>) throws(HTTPMessageError) -> HTTPRequest {
        try request(for: endpoint, accept: accepted(for: Page.self))
    }
}
