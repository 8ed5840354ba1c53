import Testing

@testable import OracleCX

@Suite("Oracle 7: what becomes of the queue in the background") struct BackgroundStateTests {
    typealias Step = (event: BackgroundState.Event, actions: [BackgroundState.Action])

    static let table: [(name: String, steps: [Step])] = [
        (
            "pauses and resumes",
            [
                (.requestAdded, []), (.enteredBackground(goesOn: false), [.pause]), (.requestAdded, []),
                (.requestEnded, []), (.enteredForeground, [.resume]), (.requestEnded, []),
            ]
        ),
        (
            "pauses once, however often it is told",
            [
                (.enteredBackground(goesOn: false), [.pause]), (.enteredBackground(goesOn: true), []),
                (.enteredForeground, [.resume]), (.enteredForeground, []),
            ]
        ),
        (
            "goes on while requests are left, with time for them",
            [
                (.requestAdded, []), (.requestAdded, []), (.enteredBackground(goesOn: true), [.beginTime(1)]),
                (.requestEnded, []), (.requestEnded, [.endTime]), (.requestAdded, [.beginTime(2)]),
                (.enteredForeground, [.endTime]), (.requestEnded, []),
            ]
        ),
        (
            "asks for no time without requests",
            [(.enteredBackground(goesOn: true), []), (.enteredForeground, [])]
        ),
        (
            "pauses when the time is over",
            [
                (.requestAdded, []), (.enteredBackground(goesOn: true), [.beginTime(1)]),
                (.timeExpired(1), [.pause, .endTime]),
                (.timeExpired(1), []), (.requestAdded, []), (.enteredForeground, [.resume]),
            ]
        ),
        (
            "a time that expires late changes nothing",
            [
                (.requestAdded, []), (.enteredBackground(goesOn: true), [.beginTime(1)]), (.requestEnded, [.endTime]),
                (.timeExpired(1), []), (.requestAdded, [.beginTime(2)]), (.enteredForeground, [.endTime]),
                (.timeExpired(2), []),
            ]
        ),
        (
            "a time that expires late is not the next one",
            [
                (.requestAdded, []), (.enteredBackground(goesOn: true), [.beginTime(1)]), (.requestEnded, [.endTime]),
                (.requestAdded, [.beginTime(2)]), (.timeExpired(1), []), (.timeExpired(2), [.pause, .endTime]),
            ]
        ),
    ]

    @Test("table", arguments: table.indices) func steps(index: Int) {
        var state = BackgroundState()
        for (number, step) in Self.table[index].steps.enumerated() {
            #expect(state.handle(step.event) == step.actions, "\(Self.table[index].name), step \(number)")
        }
    }
}
