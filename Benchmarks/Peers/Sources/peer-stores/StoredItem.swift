/// A record of eight columns, for both libraries.
struct StoredItem: Codable, Sendable {
    static let definition = """
        CREATE TABLE storedItem (id INTEGER PRIMARY KEY, station INTEGER, label TEXT, gain REAL, level REAL,
        isValid INTEGER, unit TEXT, note TEXT)
        """
    static let query = "SELECT * FROM storedItem"
    static let lookup = "SELECT * FROM storedItem WHERE id = ?"

    let id: Int
    let station: Int
    let label: String
    let gain: Double
    let level: Double
    let isValid: Bool
    let unit: String
    let note: String?

    init(number: Int) {
        id = number
        station = number % 97
        label = "measurement no. \(number % 1000)"
        gain = Double(number) * 0.5
        level = Double(number % 1013) / 7
        isValid = !number.isMultiple(of: 3)
        unit = ["V", "A", "dB", "Hz"][number % 4]
        note = number.isMultiple(of: 5) ? nil : "line \(number) of a note"
    }
}
