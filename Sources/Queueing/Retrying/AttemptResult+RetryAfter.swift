import Foundation
import HTTPMessages
import Transport

extension AttemptResult {
    /// The wait that the server or an open circuit asks for, from zero to 100 years; nil without a valid one.
    ///
    /// `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). A date is compared with the
    /// response's `Date`, or without one with the wall clock.
    public var retryAfter: Duration? {
        switch outcome {
        case .response(let head):
            return Self.retryAfter(of: head, date: date)
        case .failure:
            return nil
        case .rejection(let error):
            return error.retryAfter?.bounded
        }
    }

    /// The wait that a response asks for.
    static func retryAfter(of head: HTTPResponseHead, date: Date) -> Duration? {
        guard let text = head.fields.values(of: .retryAfter).first else { return nil }
        return seconds(text) ?? seconds(until: text, stated: head.fields.values(of: .date).first, date: date)
    }

    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Duration.seconds(Int64(text) ?? .max).bounded
    }

    private static func seconds(until text: String, stated: String?, date: Date) -> Duration? {
        guard let then = HTTPDate(parsing: text)?.date else { return nil }
        let now = stated.flatMap { HTTPDate(parsing: $0)?.date } ?? date
        return Duration.boundedSeconds(then.timeIntervalSince(now))
    }
}
