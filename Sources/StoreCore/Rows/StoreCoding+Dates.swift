import Foundation

extension StoreCoding.Dates {
    /// Seconds from 1970 to 2001, the reference of a `Date`.
    private static let secondsTo2001: Int64 = 978_307_200

    /// The value that represents a date; nil when it is out of range.
    func value(of date: Date) -> StoreValue? {
        switch self {
        case .text: return SQLiteDate.text(of: date).map(StoreValue.text)
        case .unixSeconds:
            let seconds = date.timeIntervalSince1970
            return seconds.isFinite ? .real(seconds) : nil
        case .referenceSeconds:
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isFinite ? .real(seconds) : nil
        case .unixMilliseconds:
            // Added to the date's own reference, which loses no precision.
            guard let milliseconds = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1000).rounded()) else {
                return nil
            }
            let (sum, isOverflow) = milliseconds.addingReportingOverflow(Self.secondsTo2001 * 1000)
            return isOverflow ? nil : .integer(sum)
        }
    }

    /// The date of an integer; nil when it is out of range.
    func date(_ number: Int64) -> Date? {
        switch self {
        case .text, .unixSeconds: return Date(timeIntervalSince1970: Double(number))
        case .referenceSeconds: return Date(timeIntervalSinceReferenceDate: Double(number))
        case .unixMilliseconds:
            // From the date's own reference, which loses no precision.
            let (milliseconds, isOverflow) = number.subtractingReportingOverflow(Self.secondsTo2001 * 1000)
            return isOverflow ? nil : Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1000)
        }
    }

    /// The date of a floating point number; nil when it is infinite or not a number.
    func date(_ number: Double) -> Date? {
        guard number.isFinite else { return nil }
        return switch self {
        case .text, .unixSeconds: Date(timeIntervalSince1970: number)
        case .referenceSeconds: Date(timeIntervalSinceReferenceDate: number)
        case .unixMilliseconds: Date(timeIntervalSince1970: number / 1000)
        }
    }
}
