// The data of the referee box's pages: the newest of each topic.

/** @import {RefboxRefereeShow, RefboxShow, RefboxTeamsShow} from '../types' */

export const box = {
  show: /** @type {RefboxShow | null} */ (null),
  referee: /** @type {RefboxRefereeShow | null} */ (null), // only with the referee's token
  teams: /** @type {RefboxTeamsShow | null} */ (null),
}
