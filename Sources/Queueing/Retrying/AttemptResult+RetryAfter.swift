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
            return head.retryAfter(at: date)
        case .failure(let error):
            // Such as of a response whose body was cut.
            return error.head?.retryAfter(at: date)
        case .rejection(let error):
            return error.retryAfter?.bounded
        }
    }
}
