/*
 * The ball booking protocol of docs/booking.md for three robots, for the model checker spin. It is written from the rules
 * of that page and shares no code with package booking.
 *
 * Time passes in ticks: R, L, C and a slot are one tick. Each tick every link delivers or loses what was sent in the last
 * one, in any order, and then each robot carries out a control period. The rules that need no model of their own are left
 * out: repeats and answers (everybody sends each tick anyway), silence, liars. Instead of waiting a slot for each nearer
 * teammate a robot waits for any number of slots up to two, which allows more than the protocol does.
 *
 * Robots 0 and 1 may crash, start again with a blank state, come nearer, go farther, lose the ball and see it again: EVENTS
 * of these together. Robot 2 always sees the ball. Each link loses at most K messages in a row, as often as it likes.
 */
#ifndef K
#define K 1
#endif
#ifndef EVENTS
#define EVENTS 2
#endif
#define N 3
#define T (K + 3)    /* lease: K + 2 renewals fit into it */
#define RECENT 2
#define DWELL 1
#define NONE 3       /* no robot */
#define LISTEN 2     /* before the first claim */

byte booker[N], epoch[N], claimed[N], advertised[N], released[N];
byte age[N];         /* ticks since a renewal was heard */
byte fresh[N];       /* ticks since that renewal was sent: the order of sequence numbers */
byte since[N];       /* ticks since the booker changed, up to 3 */
byte hold[N];        /* ticks until the robot may claim */
byte own[N];         /* distance; 0: cannot play the ball */
bool up[N];
byte lost[9];        /* messages in a row that a link lost */

/* what each robot sent in the last tick */
bool sent[N], sentRelease[N];
byte sBooker[N], sEpoch[N], sClaimed[N], sAdvertised[N], sReleased[N], sAge[N], sFresh[N];

byte events = EVENTS;
bool one, dual;
hidden byte k, n;

inline blank(r) {
	booker[r] = NONE; released[r] = NONE; epoch[r] = 0; claimed[r] = 0; advertised[r] = 0;
	age[r] = 0; fresh[r] = 0; since[r] = 0; hold[r] = LISTEN
}

/* free: robot r believes that robot b gave up the ball in epoch e. A robot that booked it within that epoch goes on with
   the next. */
inline give(r, b, e) {
	if
	:: booker[r] == b && epoch[r] == e || e > epoch[r] ->
		booker[r] = NONE; released[r] = b; epoch[r] = e; since[r] = 0; claimed[r] = 0; advertised[r] = 0; age[r] = 0; fresh[r] = 0
	:: booker[r] == r && epoch[r] == e && b != r -> epoch[r] = e + 1
	:: else
	fi
}

/* weigh: robot r hears that b booked the ball, a ticks after a renewal that was sent f ticks ago. */
inline weigh(r, b, e, c, d, a, f) {
	if
	:: booker[r] == b && epoch[r] == e ->
		if
		:: f < fresh[r] ->
			claimed[r] = c; advertised[r] = d; fresh[r] = f;
			if :: a < age[r] -> age[r] = a :: else fi
		:: else
		fi
	:: else ->
		if
		:: a < RECENT && (e > epoch[r] ||
			e == epoch[r] && booker[r] != NONE && (c < claimed[r] || c == claimed[r] && b < booker[r] ||
				booker[r] != r && age[r] > RECENT)) ->
			if :: booker[r] != b -> since[r] = 0 :: else fi;
			booker[r] = b; epoch[r] = e; claimed[r] = c; advertised[r] = d; age[r] = a; fresh[r] = f; released[r] = NONE
		:: else
		fi
	fi
}

/* hear: robot r receives what robot s sent. A belief about r itself is from before its restart: r waits out the lease. */
inline hear(r, s) {
	if
	:: sentRelease[s] -> give(r, s, sEpoch[s])
	:: else ->
		if
		:: sBooker[s] == s -> weigh(r, s, sEpoch[s], sClaimed[s], sAdvertised[s], 0, 1)
		:: sBooker[s] == NONE && sReleased[s] != NONE && sReleased[s] != r -> give(r, sReleased[s], sEpoch[s])
		:: sBooker[s] == r && booker[r] != r && sEpoch[s] > epoch[r] ->
			booker[r] = NONE; released[r] = r; epoch[r] = sEpoch[s]; since[r] = 0;
			claimed[r] = 0; advertised[r] = 0; age[r] = 0; fresh[r] = 0;
			hold[r] = (sAge[s] < T -> T - sAge[s] : 0)
		:: sBooker[s] != NONE && sBooker[s] != r && sBooker[s] != s && sAge[s] <= T ->
			weigh(r, sBooker[s], sEpoch[s], sClaimed[s], sAdvertised[s], sAge[s], sFresh[s] + 1)
		:: else
		fi
	fi
}

/* deliver: the link from robot s to robot r carries or loses what s sent. */
inline deliver(r, s) {
	if
	:: !up[r] || !sent[s] || r == s
	:: up[r] && sent[s] && r != s && lost[r * N + s] < K -> lost[r * N + s]++
	:: up[r] && sent[s] && r != s -> lost[r * N + s] = 0; hear(r, s)
	fi
}

/* Epochs are bounded: a protocol that hands the ball over for ever ends in this assertion. */
inline book(r, e) {
	booker[r] = r; released[r] = NONE; epoch[r] = e; claimed[r] = own[r]; advertised[r] = own[r];
	age[r] = 0; fresh[r] = 0; since[r] = 0;
	assert(e < 20)
}

inline control(r) {
	sentRelease[r] = false; sent[r] = up[r];
	if
	:: !up[r]
	:: up[r] ->
		if :: age[r] < T + 3 -> age[r]++ :: else fi;
		if :: fresh[r] < 2 * T + 6 -> fresh[r]++ :: else fi;
		if :: since[r] < 3 -> since[r]++ :: else fi;
		if
		:: booker[r] == r && own[r] == 0 ->
			booker[r] = NONE; released[r] = r; since[r] = 0; claimed[r] = 0; advertised[r] = 0; age[r] = 0; fresh[r] = 0;
			sentRelease[r] = true
		:: booker[r] == r && own[r] > 0 ->
			advertised[r] = own[r]; age[r] = 0; fresh[r] = 0;
			if :: own[r] < claimed[r] -> claimed[r] = own[r] :: else fi
		:: booker[r] != r && (own[r] == 0 || hold[r] > 0)
		:: booker[r] == NONE && own[r] > 0 && hold[r] == 0 ->
			if
			:: true -> book(r, epoch[r] + 1)
			:: since[r] < 3 -> skip
			fi
		:: booker[r] != r && booker[r] != NONE && own[r] > 0 && hold[r] == 0 && age[r] > T ->
			if
			:: true -> book(r, epoch[r])
			:: age[r] < T + 3 -> skip
			fi
		:: booker[r] != r && booker[r] != NONE && own[r] > 0 && hold[r] == 0 && age[r] <= T ->
			if
			:: own[r] < advertised[r] && since[r] > DWELL -> book(r, epoch[r] + 1)
			:: else
			fi
		fi;
		if :: hold[r] > 0 -> hold[r]-- :: else fi;
		sBooker[r] = booker[r]; sEpoch[r] = epoch[r]; sClaimed[r] = claimed[r]; sAdvertised[r] = advertised[r];
		sReleased[r] = released[r]; sAge[r] = age[r]; sFresh[r] = fresh[r]
	fi
}

/* happen: robot r crashes, starts again, comes nearer or goes farther, or loses the ball. */
inline happen(r) {
	if
	:: up[r] -> up[r] = false; blank(r); own[r] = 0
	:: !up[r] -> up[r] = true; own[r] = 2
	:: up[r] -> own[r] = (own[r] == 1 -> 3 : 1)
	:: up[r] && own[r] > 0 -> own[r] = 0
	fi;
	events--
}

active proctype field() {
	atomic {
		k = 0;
		do :: k < N -> blank(k); up[k] = true; own[k] = k + 1; k++ :: else -> break od
	}
	do
	:: atomic {
		if :: true :: events > 0 -> happen(0) :: events > 0 -> happen(1) fi;
		if :: deliver(0, 1); deliver(0, 2) :: deliver(0, 2); deliver(0, 1) fi;
		if :: deliver(1, 0); deliver(1, 2) :: deliver(1, 2); deliver(1, 0) fi;
		if :: deliver(2, 0); deliver(2, 1) :: deliver(2, 1); deliver(2, 0) fi;
		control(0); control(1); control(2);
		n = 0; k = 0;
		do :: k < N -> if :: up[k] && booker[k] == k -> n++ :: else fi; k++ :: else -> break od;
		one = n == 1; dual = n > 1;
		n = 0; k = 0
	}
	od
}

ltl booked { [] <> one }
ltl single { [] (dual -> <> !dual) }
