import Foundation
import HTTPMessages

/// The form of a body that is written element by element.
struct ElementWriter<Element>: Sendable {
    /// Bytes before the first element.
    var head = Data()
    /// Starts a body: returns a function that appends the next element.
    let start: @Sendable () -> (Element, inout Data) throws(HTTPMessageError) -> Void

    /// A body that iterates over the elements again for each attempt.
    func body<Elements: Sequence & Sendable>(of elements: Elements) -> HTTPBody where Elements.Element == Element {
        .generated { ElementReader(elements.makeIterator(), writer: self) }
    }

    /// A body that asks for each element when the engine has taken the one before it.
    func body<Elements: AsyncSequence & Sendable>(of elements: Elements) -> HTTPBody
    where Elements.Element == Element {
        .stream(ElementChunks(elements: elements, writer: self))
    }
}

/// Writes elements when their bytes are asked for.
private final class ElementReader<Elements: IteratorProtocol>: HTTPBodyReader {
    private var elements: Elements
    private let write: (Elements.Element, inout Data) throws(HTTPMessageError) -> Void
    /// Bytes that were not asked for yet: a slice, so that taking a piece copies nothing.
    private var written: Data

    init(_ elements: Elements, writer: ElementWriter<Elements.Element>) {
        self.elements = elements
        write = writer.start()
        written = writer.head
    }

    func read(atMost count: Int) throws -> Data? {
        if written.count < count {
            // Growing a slice would keep the bytes before it. Less than one piece is copied.
            written = Data(written)
            while written.count < count, let element = elements.next() { try write(element, &written) }
        }
        guard !written.isEmpty else { return nil }
        let piece = written.prefix(max(1, count))
        written = written.dropFirst(piece.count)
        return piece
    }
}

/// One chunk for each element, so that none waits for the next.
private struct ElementChunks<Elements: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    let elements: Elements
    let writer: ElementWriter<Elements.Element>

    struct Iterator: AsyncIteratorProtocol {
        var elements: Elements.AsyncIterator
        let write: (Elements.Element, inout Data) throws(HTTPMessageError) -> Void
        var head: Data

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            if !head.isEmpty {
                defer { head = Data() }
                return head
            }
            guard let element = try await elements.next(isolation: actor) else { return nil }
            var chunk = Data()
            try write(element, &chunk)
            return chunk
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(elements: elements.makeAsyncIterator(), write: writer.start(), head: writer.head)
    }
}
