package import Foundation

extension HTTPResponseHead {
    /// The wait that the server asks for, from zero to 100 years; nil without a valid one.
    ///
    /// `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3).
    /// - Parameter date: the wall clock, with which a date is compared if the response has no `Date`.
    package func retryAfter(at date: Date) -> Duration? {
        guard let text = fields.values(of: .retryAfter).first else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(.seconds(Int64(text) ?? .max), .century)
        }
        guard let then = HTTPDate(parsing: text)?.date else { return nil }
        let now = fields.values(of: .date).first.flatMap { HTTPDate(parsing: $0)?.date } ?? date
        return .seconds(min(max(then.timeIntervalSince(now), 0), Double.century))
    }
}
