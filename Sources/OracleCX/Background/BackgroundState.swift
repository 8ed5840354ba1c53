/// What becomes of the queue when the app goes to the background and comes back, as a state machine without I/O.
///
/// | in the background | the queue | time asked for |
/// |---|---|---|
/// | by default | pauses | no |
/// | with the background task enabled | goes on until the time is over | while requests are left |
///
/// Times are numbered, because one that was given back may be said to be over when the next has begun.
struct BackgroundState: Sendable {
    enum Event: Hashable, Sendable {
        /// The app was put away; whether requests go on was read just then.
        case enteredBackground(goesOn: Bool)
        case enteredForeground
        case requestAdded
        case requestEnded
        /// A time that was asked for is over.
        case timeExpired(Int)
    }
    enum Action: Hashable, Sendable {
        case pause
        case resume
        case beginTime(Int)
        /// The time that was begun last is no longer needed.
        case endTime
    }
    private enum Place: Hashable {
        case foreground
        case paused
        case goingOn
    }

    private var place = Place.foreground
    private var requests = 0
    /// The number of the time that was begun last.
    private var time = 0
    private var hasTime = false

    mutating func handle(_ event: Event) -> [Action] {
        let before = place
        switch event {
        case .enteredBackground(let goesOn): if place == .foreground { place = goesOn ? .goingOn : .paused }
        case .enteredForeground: place = .foreground
        case .requestAdded: requests += 1
        case .requestEnded: requests -= 1
        case .timeExpired(let time): if place == .goingOn, hasTime, time == self.time { place = .paused }
        }
        var actions: [Action] = []
        if before != .paused, place == .paused { actions.append(.pause) }
        let needsTime = place == .goingOn && requests > 0
        if needsTime, !hasTime { time += 1 }
        if needsTime != hasTime { actions.append(needsTime ? .beginTime(time) : .endTime) }
        hasTime = needsTime
        if before == .paused, place != .paused { actions.append(.resume) }
        return actions
    }
}
