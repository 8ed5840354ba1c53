import Foundation
import PatchbayErrors
import Testing

/// A parser, and what must hold of it for any input.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
    let name: String
    /// Valid inputs, from which others are made.
    let samples: [Data]
    /// Texts that are special to the parser.
    let words: [String]
    /// Throws for an input for which the parser does not keep its promise.
    let check: @Sendable (Data) throws -> Void

    init(_ name: String, _ samples: [String], words: [String] = [], check: @escaping @Sendable (Data) throws -> Void) {
        self.init(name, data: samples.map { Data($0.utf8) }, words: words, check: check)
    }

    init(
        _ name: String, data samples: [Data], words: [String] = [], check: @escaping @Sendable (Data) throws -> Void
    ) {
        self.name = name
        self.samples = samples
        self.words = words
        self.check = check
    }

    /// A target of a parser of strings.
    init(
        text name: String, _ samples: [String], words: [String] = [], check: @escaping @Sendable (String) throws -> Void
    ) {
        self.init(name, samples, words: words) { try check(String(decoding: $0, as: UTF8.self)) }
    }

    static let all = fields + links + documents + streams + rows + protocols + stores

    var testDescription: String { name }
}

/// A promise that a parser did not keep.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// Throws if a promise is not kept.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) throws(BrokenPromise) {
    guard isKept else { throw BrokenPromise(description: text()) }
}

/// The result of a parser; nil for one of the errors that it may throw, the text of which is made too.
func parsed<Value>(_ parse: () throws -> Value) throws -> Value? {
    do {
        return try parse()
    } catch let error as any PatchbayError {
        try promise(!"\(error)".isEmpty && !error.message.isEmpty, "an error without a message: \(type(of: error))")
        return nil
    } catch is DecodingError {
        return nil
    }
}

extension Data {
    /// The bytes in chunks of a size.
    func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { Data(dropFirst($0).prefix(size)) }
    }
}

/// Throws unless a function of chunks gives the same for other chunks of the same bytes.
func promiseSame<Value: Equatable>(_ bytes: Data, _ read: ([Data]) throws -> Value) throws {
    let whole = try read([bytes])
    for size in [1, 3, 7] {
        let pieces = try read(bytes.pieces(of: size))
        try promise(whole == pieces, "in chunks of \(size) it is something else: \(pieces), not \(whole)")
    }
}
