import Foundation
import StoreCore
import Testing

/// A record with one property, for cells that are decoded by key.
private struct Box<Value: Decodable>: Decodable {
    let cell: Value
}

private struct OptionalBox<Value: Decodable>: Decodable {
    let cell: Value?
}

@Suite struct CellValueTests {
    /// Expects a value from a cell: alone, as the row, by key, and as an optional by key.
    /// - Parameter stored: the type that the value's type asks for.
    private func expect<Value: Decodable & Equatable>(
        _ cell: StoreValue, is value: Value, as stored: Any.Type = Value.self, _ coding: StoreCoding = StoreCoding(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let location = sourceLocation
        #expect(try decoded(Value.self, cell, coding) == value, sourceLocation: location)
        #expect(try decoded(Value?.self, cell, coding) == value, sourceLocation: location)
        #expect(try decoded(Value.self, ["cell": cell], coding) == value, sourceLocation: location)
        #expect(try decoded(Box<Value>.self, ["cell": cell], coding).cell == value, sourceLocation: location)
        #expect(try decoded(OptionalBox<Value>.self, ["cell": cell], coding).cell == value, sourceLocation: location)
        #expect(try decoded(OptionalBox<Value>.self, ["cell": nil], coding).cell == nil, sourceLocation: location)
        #expect(try decoded(OptionalBox<Value>.self, ["other": cell], coding).cell == nil, sourceLocation: location)
        #expect(try decoded(Value?.self, nil, coding) == nil, sourceLocation: location)
        #expect(
            throws: StoreError(
                .undecodable,
                "Cannot decode \(stored) from the row, column \"cell\": found NULL; make the property optional."),
            sourceLocation: location
        ) { try decoded(Box<Value>.self, ["cell": nil], coding) }
    }

    /// Expects that a cell is not a value: alone, by key, and as an optional by key.
    private func expect<Value: Decodable>(
        _ cell: StoreValue, isNo type: Value.Type, _ found: String, _ coding: StoreCoding = StoreCoding(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = StoreError(
            .undecodable, "Cannot decode \(type) from the row, column \"cell\": found \(found).")
        let reads: [() throws -> Void] = [
            { _ = try decoded(type, cell, coding) }, { _ = try decoded(type, ["cell": cell], coding) },
            { _ = try decoded(Box<Value>.self, ["cell": cell], coding) },
            { _ = try decoded(OptionalBox<Value>.self, ["cell": cell], coding) },
        ]
        for read in reads { #expect(throws: error, sourceLocation: sourceLocation, performing: read) }
    }

    private func expectInteger<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws {
        try expect(7, is: Value(7))
        try expect(.integer(Int64(clamping: Value.max)), is: Value(clamping: Int64(clamping: Value.max)))
        try expect(.integer(Int64(clamping: Value.min)), is: Value(clamping: Int64(clamping: Value.min)))
        if let next = Int64(exactly: Value.max), next < .max {
            expect(.integer(next + 1), isNo: type, "INTEGER that is out of range")
        }
        if let previous = Int64(exactly: Value.min), previous > .min {
            expect(.integer(previous - 1), isNo: type, "INTEGER that is out of range")
        }
        expect(7.0, isNo: type, "REAL")
        expect("7", isNo: type, "TEXT")
        expect(.blob(Data([7])), isNo: type, "BLOB")
    }

    @Test func `integers are read in their range`() throws {
        try expectInteger(Int.self)
        try expectInteger(Int8.self)
        try expectInteger(Int16.self)
        try expectInteger(Int32.self)
        try expectInteger(Int64.self)
        try expectInteger(Int128.self)
        try expectInteger(UInt.self)
        try expectInteger(UInt8.self)
        try expectInteger(UInt16.self)
        try expectInteger(UInt32.self)
        try expectInteger(UInt64.self)
        try expectInteger(UInt128.self)
    }

    @Test func `Bool is 0 or 1`() throws {
        try expect(0, is: false)
        try expect(1, is: true)
        for number: Int64 in [2, -1, 256, .min] {
            expect(.integer(number), isNo: Bool.self, "INTEGER that is out of range")
        }
        expect(1.0, isNo: Bool.self, "REAL")
        expect("true", isNo: Bool.self, "TEXT")
    }

    @Test func `floating point numbers are read from both kinds of number`() throws {
        try expect(-0.5, is: -0.5)
        try expect(7, is: 7.0)
        try expect(.real(.infinity), is: Double.infinity)
        try expect(-0.5, is: Float(-0.5))
        try expect(7, is: Float(7))
        try expect(.real(.infinity), is: Float.infinity)
        expect(1e300, isNo: Float.self, "REAL that is out of range")
        expect("0.5", isNo: Double.self, "TEXT")
        expect(.blob(Data()), isNo: Float.self, "BLOB")
    }

    @Test func `text and bytes are read from their own class`() throws {
        try expect("", is: "")
        try expect("plate é𝄞\0", is: "plate é𝄞\0")
        try expect(.text(String(repeating: "long ", count: 100)), is: String(repeating: "long ", count: 100))
        expect(1, isNo: String.self, "INTEGER")
        expect(.blob(Data("a".utf8)), isNo: String.self, "BLOB")
        try expect(.blob(Data()), is: Data())
        try expect(.blob(Data([0, 255])), is: Data([0, 255]))
        expect("AP8=", isNo: Data.self, "TEXT")
    }

    @Test func `dates are read from text and numbers`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 600_000_000.25)
        for dates: StoreCoding.Dates in [.text, .unixSeconds, .unixMilliseconds] {
            let coding = StoreCoding(dates: dates)
            try expect("2020-01-06 10:40:00.250", is: date, coding)
            try expect("2020-01-06T11:40:00.25+01:00", is: date, coding)
            let factor = dates == .unixMilliseconds ? 1000.0 : 1
            try expect(.real(1_578_307_200.25 * factor), is: date, coding)
            try expect(.integer(Int64(1_578_307_200 * factor)), is: date - 0.25, coding)
            expect("2020-02-30", isNo: Date.self, "TEXT that does not have the format of Date", coding)
            expect(.real(.infinity), isNo: Date.self, "REAL that is out of range", coding)
            expect(.blob(Data()), isNo: Date.self, "BLOB", coding)
        }
        let milliseconds = StoreCoding(dates: .unixMilliseconds)
        expect(.integer(.min), isNo: Date.self, "INTEGER that is out of range", milliseconds)
        let reference = StoreCoding(dates: .referenceSeconds)
        try expect(.real(600_000_000.25), is: date, reference)
        try expect(.integer(600_000_000), is: date - 0.25, reference)
        try expect("2020-01-06 10:40:00.250", is: date, reference)
        expect(.real(-.infinity), isNo: Date.self, "REAL that is out of range", reference)
    }

    @Test func `UUIDs are read from text and bytes`() throws {
        let uuid = try #require(UUID(uuidString: "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"))
        try expect("0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", is: uuid)
        try expect("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", is: uuid)
        let bytes: [UInt8] = [15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225, 240]
        try expect(.blob(Data(bytes)), is: uuid)
        for text in [
            "", "0F1E2D3C4B5A69788796A5B4C3D2E1F0", "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F",
            "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F00", "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1FG",
            "0F1E2D3C:4B5A-6978-8796-A5B4C3D2E1F0",
        ] {
            expect(.text(text), isNo: UUID.self, "TEXT that does not have the format of UUID")
        }
        expect(.blob(Data(bytes.dropLast())), isNo: UUID.self, "BLOB that does not have the format of UUID")
        expect(7, isNo: UUID.self, "INTEGER")
    }

    @Test func `URLs are read from text`() throws {
        let url = try #require(URL(string: "https://example.com/a?b=c"))
        try expect("https://example.com/a?b=c", is: url)
        expect("", isNo: URL.self, "TEXT that does not have the format of URL")
        expect(7, isNo: URL.self, "INTEGER")
    }

    @Test func `decimals are exact`() throws {
        func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }
        try expect("12345678901234567890.123456789", is: decimal("12345678901234567890.123456789"))
        try expect("-1.5e3", is: decimal("-1500"))
        try expect(".5", is: decimal("0.5"))
        try expect(.integer(.max), is: decimal("9223372036854775807"))
        try expect(3.14, is: decimal("3.14"))
        try expect(1e-7, is: decimal("0.0000001"))
        for text in ["", "-", ".", "1x", "1e", "1 ", " 1", "1,5", "NaN", "--1", "1e999"] {
            expect(.text(text), isNo: Decimal.self, "TEXT that does not have the format of Decimal")
        }
        for number in [Double.infinity, 1e300] {
            expect(.real(number), isNo: Decimal.self, "REAL that is out of range")
        }
        expect(.blob(Data()), isNo: Decimal.self, "BLOB")
    }

    private enum Color: String, Decodable { case red, green }
    private enum Level: Int, Decodable { case low, high }
    private struct Name: RawRepresentable, Decodable, Equatable { let rawValue: String }
    private struct Instant: Decodable, Equatable {
        let date: Date
        init(date: Date) { self.date = date }
        init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
    }

    @Test func `types of a single value are read from it`() throws {
        try expect("green", is: Color.green, as: String.self)
        try expect(1, is: Level.high, as: Int.self)
        try expect("plate", is: Name(rawValue: "plate"), as: String.self)
        try expect("2001-01-01", is: Instant(date: Date(timeIntervalSinceReferenceDate: 0)), as: Date.self)
    }

    @Test func `errors of types of a single value do not contain the value`() {
        expectFailure(
            Box<Color>.self, ["cell": "secret"],
            "Cannot decode Color from the row, column \"cell\": the value is not valid.")
        expectFailure(
            Box<Level>.self, ["cell": 77], "Cannot decode Level from the row, column \"cell\": the value is not valid.")
        expectFailure(
            Box<Color>.self, ["cell": 7], "Cannot decode String from the row, column \"cell\": found INTEGER.")
        expectFailure(
            Box<Instant>.self, ["cell": "secret"],
            "Cannot decode Date from the row, column \"cell\": found TEXT that does not have the format of Date.")
    }
}
