import Foundation
import StoreCore

/// A record of eight columns, for stores.
struct Measurement: Codable {
    static let definition: SQL = """
        CREATE TABLE measurement (id INTEGER PRIMARY KEY, station INTEGER, label TEXT, gain REAL, level REAL,
        isValid INTEGER, taken TEXT, note TEXT)
        """

    let id: Int
    let station: Int
    let label: String
    let gain: Double
    let level: Double
    let isValid: Bool
    let taken: Date
    let note: String?
}

extension Measurement {
    init(number: Int) {
        id = number
        station = number % 97
        label = "measurement no. \(number % 1000)"
        gain = Double(number) * 0.5
        level = Double(number % 1013) / 7
        isValid = !number.isMultiple(of: 3)
        taken = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 12.125)
        note = number.isMultiple(of: 5) ? nil : "line \(number) of a note"
    }
}
