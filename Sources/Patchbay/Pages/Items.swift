/// The elements of all pages of a list, page by page.
///
/// The next page is loaded when all elements of the one before have been read.
public struct Items<Page: Decodable & Sendable, Element: Sendable>: AsyncSequence, Sendable {
    /// The errors of the calls, and ``PageError``.
    public typealias Failure = any Error

    let pages: Pages<Page>
    let elements: @Sendable (Page) -> [Element]

    /// Creates an iterator, which sends the first request when it is asked for the first element.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator(), elements: elements) }

    /// Reads one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages<Page>.Iterator
        private let elements: @Sendable (Page) -> [Element]
        private var current: ArraySlice<Element> = []

        init(pages: Pages<Page>.Iterator, elements: @escaping @Sendable (Page) -> [Element]) {
            self.pages = pages
            self.elements = elements
        }

        /// The next element; nil after the last one, and after an error.
        public mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        /// The next element; nil after the last one, and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            while current.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                current = elements(page.value)[...]
            }
            return current.removeFirst()
        }
    }
}
