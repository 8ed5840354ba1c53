import Testing

@testable import OracleCX

@Suite struct BackgroundStateTests {
    typealias Step = (event: BackgroundState.Event, actions: [BackgroundState.Action])

    static let table: [(name: String, steps: [Step])] = [
        (
            "pauses and resumes",
            [
                (.requestAdded, []), (.enteredBackground(continues: false), [.pause]), (.requestAdded, []),
                (.requestFinished, []), (.enteredForeground, [.resume]), (.requestFinished, []),
            ]
        ),
        (
            "pauses once for repeated events",
            [
                (.enteredBackground(continues: false), [.pause]), (.enteredBackground(continues: true), []),
                (.enteredForeground, [.resume]), (.enteredForeground, []),
            ]
        ),
        (
            "continues with a background task while requests are unfinished",
            [
                (.requestAdded, []), (.requestAdded, []), (.enteredBackground(continues: true), [.beginTask(1)]),
                (.requestFinished, []), (.requestFinished, [.endTask]), (.requestAdded, [.beginTask(2)]),
                (.enteredForeground, [.endTask]), (.requestFinished, []),
            ]
        ),
        (
            "paused with a background task while attempts run, not for requests that wait",
            [
                (.requestAdded, []), (.attemptStarted, []), (.requestAdded, []), (.attemptStarted, []),
                (.requestAdded, []), (.enteredBackground(continues: false), [.pause, .beginTask(1)]),
                (.attemptFinished, []), (.requestFinished, []), (.attemptFinished, [.endTask]), (.requestFinished, []),
                (.requestFinished, []), (.enteredForeground, [.resume]),
            ]
        ),
        (
            "an attempt that starts while the queue pauses has a task, until the app returns",
            [
                (.requestAdded, []), (.enteredBackground(continues: false), [.pause]),
                (.attemptStarted, [.beginTask(1)]), (.enteredForeground, [.endTask, .resume]), (.attemptFinished, []),
            ]
        ),
        (
            "an expired task is not begun again before the app returns",
            [
                (.requestAdded, []), (.attemptStarted, []),
                (.enteredBackground(continues: false), [.pause, .beginTask(1)]), (.taskExpired(1), [.endTask]),
                (.attemptFinished, []), (.attemptStarted, []), (.enteredBackground(continues: true), []),
                (.enteredForeground, [.resume]), (.enteredBackground(continues: false), [.pause, .beginTask(2)]),
            ]
        ),
        (
            "begins no task without requests",
            [(.enteredBackground(continues: true), []), (.enteredForeground, [])]
        ),
        (
            "pauses when the task expires",
            [
                (.requestAdded, []), (.attemptStarted, []), (.enteredBackground(continues: true), [.beginTask(1)]),
                (.taskExpired(1), [.pause, .endTask]),
                (.taskExpired(1), []), (.requestAdded, []), (.enteredForeground, [.resume]),
            ]
        ),
        (
            "the late expiry of an ended task has no effect",
            [
                (.requestAdded, []), (.enteredBackground(continues: true), [.beginTask(1)]),
                (.requestFinished, [.endTask]),
                (.taskExpired(1), []), (.requestAdded, [.beginTask(2)]), (.enteredForeground, [.endTask]),
                (.taskExpired(2), []),
            ]
        ),
        (
            "the late expiry of an earlier task does not affect the next one",
            [
                (.requestAdded, []), (.enteredBackground(continues: true), [.beginTask(1)]),
                (.requestFinished, [.endTask]),
                (.requestAdded, [.beginTask(2)]), (.taskExpired(1), []), (.taskExpired(2), [.pause, .endTask]),
            ]
        ),
    ]

    @Test(arguments: table.indices) func `transitions and actions`(index: Int) {
        var state = BackgroundState()
        for (number, step) in Self.table[index].steps.enumerated() {
            #expect(state.handle(step.event) == step.actions, "\(Self.table[index].name), step \(number)")
        }
    }
}
